//! The names of what pointers point to, as the program writes them (`flag`, `flags[1]`, `ring.tail`, `node->next`), and the
//! objects that pointers are into. Members have names where the debug information has types.

use hook_abi::members;
use inkwell::llvm_sys::LLVMOpcode;

use crate::abi::{FH_OBJECT_LOCAL, FH_OBJECT_TYPE};
use crate::ir::{Class, Instruction, Layout, Value};
use crate::objects::step_back;
use crate::types::Types;

/// An object that a place in the source accesses, from which a `struct fh_object` is made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Object {
    /// The name of a local variable, or of a type.
    pub(crate) name: String,
    /// The members, as `hook_abi::members` has them; "" if they are not known.
    pub(crate) members: String,
    /// The size in bytes.
    pub(crate) size: u64,
    /// The sort of object: `FH_OBJECT_LOCAL` or `FH_OBJECT_TYPE`.
    pub(crate) sort: u32,
}

/// Returns the name that a variable has in the source. A static one of a function `f` is called `f.name`, and `f.name.1` if there
/// are two.
pub(crate) fn source_name(name: &str) -> &str {
    name.split('.').nth(1).unwrap_or(name)
}

/// The number of pointers behind each other that are followed in an expression such as `list->head->next`.
const DEPTH: usize = 3;

/// The way from a pointer to another one that is computed from it.
struct PointerPath {
    base: Value,
    /// The getelementptrs, that of the base first, and how many bytes each adds, if that is a constant.
    steps: Vec<(Value, Option<i64>)>,
}

/// Returns the number of bytes that these steps add, if that is a constant, and not negative.
fn sum(steps: &[(Value, Option<i64>)]) -> Option<u64> {
    let sum: Option<i64> = steps.iter().map(|step| step.1).sum();
    u64::try_from(sum?).ok()
}

/// Returns the name of the struct or union to whose members a getelementptr goes.
fn struct_of(step: Value) -> Option<String> {
    Instruction(step).source_element_type().struct_name()
}

/// The finder of what pointers point to.
pub(crate) struct Expressions {
    types: Types,
    layout: Layout,
}

impl Expressions {
    /// Makes a finder for a module with these types.
    pub(crate) const fn new(types: Types, layout: Layout) -> Self {
        Self { types, layout }
    }

    /// Returns the name of what an access of `width` bytes by a pointer is to, as the program writes it; "" if it has no name.
    pub(crate) fn of(&self, pointer: Value, width: u64) -> String {
        self.behind_pointers(pointer, width, DEPTH)
    }

    fn behind_pointers(&self, pointer: Value, width: u64, depth: usize) -> String {
        let way = self.way(pointer);
        let base = way.base;
        if base.is(Class::GlobalVariable) {
            let (name, members) = (base.name(), self.types.of_variable(base, self.layout));
            let name = source_name(&name).to_owned();
            return if members.is_empty() { name } else { name + &self.path(&members, &way.steps, width) };
        }
        if base.is(Class::Alloca) {
            let name = self.types.local_name(base);
            return if name.is_empty() {
                name
            } else {
                name + &self.path(&self.types.of_local(base), &way.steps, width)
            };
        }
        let mut name = self.types.pointer_name(base);
        if name.is_empty() && depth > 0 && base.opcode() == Some(LLVMOpcode::LLVMLoad) {
            name = self.behind_pointers(base.operand(0), self.layout.store_size(base.kind()), depth - 1);
        }
        if name.is_empty() { name } else { self.pointed(&name, &way.steps, width) }
    }

    /// Returns the name of what these steps lead to from a pointer of this name: `*p`, `p->next`, `p[…]`.
    fn pointed(&self, name: &str, steps: &[(Value, Option<i64>)], width: u64) -> String {
        let kind = steps.first().and_then(|(first, _)| struct_of(*first));
        let path = self.path(&kind.map(|kind| self.types.of_struct(&kind)).unwrap_or_default(), steps, width);
        match path.strip_prefix('.') {
            Some(member) => format!("{name}->{member}"),
            None if path.is_empty() => self.element_behind(name, steps),
            None => format!("{name}{path}"),
        }
    }

    /// Returns the name of what these steps lead to from a pointer of this name, which is to no struct: `*p`, `p[1]`.
    fn element_behind(&self, name: &str, steps: &[(Value, Option<i64>)]) -> String {
        let size = steps.last().map(|(last, _)| self.layout.allocated_size(Instruction(*last).source_element_type()));
        match (sum(steps), size) {
            (Some(0), _) => format!("*{name}"),
            (Some(offset), Some(size)) if size > 0 && offset % size == 0 => format!("{name}[{}]", offset / size),
            _ => name.to_owned(),
        }
    }

    /// Returns the object that a pointer is into, and by how many bytes; none for variables with static storage, which are known
    /// by their addresses.
    pub(crate) fn object(&self, pointer: Value) -> Option<(Object, u64)> {
        let way = self.way(pointer);
        if way.base.is(Class::Alloca)
            && let Some(offset) = sum(&way.steps)
        {
            let name = self.types.local_name(way.base);
            let size = self.layout.allocated_size(Instruction(way.base).allocated_type());
            let members = self.types.of_local(way.base);
            return (!name.is_empty()).then_some((Object { name, members, size, sort: FH_OBJECT_LOCAL }, offset));
        }
        (0..way.steps.len()).find_map(|first| self.object_at(&way.steps[first..]))
    }

    /// Returns the struct to whose members the first of these steps goes, and the distance in bytes.
    fn object_at(&self, steps: &[(Value, Option<i64>)]) -> Option<(Object, u64)> {
        let (first, _) = *steps.first()?;
        let (kind, offset) = (struct_of(first)?, sum(steps)?);
        let (size, members) =
            (self.layout.allocated_size(Instruction(first).source_element_type()), self.types.of_struct(&kind));
        let name = kind.split_once('.').map_or(kind.as_str(), |(_, name)| name).to_owned();
        let is_known = !members.is_empty() && offset < size;
        is_known.then_some((Object { name, members, size, sort: FH_OBJECT_TYPE }, offset))
    }

    fn way(&self, pointer: Value) -> PointerPath {
        let (mut base, mut steps) = (pointer, Vec::new());
        while let Some((before, distance)) = step_back(self.layout, base) {
            if base.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
                steps.push((base, distance));
            }
            base = before;
        }
        steps.reverse();
        PointerPath { base, steps }
    }

    /// Returns the path that steps take from an object with these members: `.slots[1].value`, or `.slots[…].value` where an index
    /// is no constant.
    fn path(&self, members: &str, steps: &[(Value, Option<i64>)], width: u64) -> String {
        if let Some(offset) = sum(steps) {
            return members::path(members, offset, width).unwrap_or_default();
        }
        let varies = |step: &(Value, Option<i64>)| step.1.is_none();
        let front = steps.iter().position(varies).unwrap_or(steps.len());
        let back = steps.iter().rposition(varies).map_or(0, |last| last + 1);
        let array = sum(&steps[..front]).and_then(|offset| members::path(members, offset, 1)).unwrap_or_default();
        let kind = steps.get(back).and_then(|(step, _)| struct_of(*step));
        let element = kind.map(|kind| self.types.of_struct(&kind)).unwrap_or_default();
        let member = sum(&steps[back..]).and_then(|offset| members::path(&element, offset, width)).unwrap_or_default();
        format!("{}[…]{member}", array.split('[').next().unwrap_or_default())
    }
}
