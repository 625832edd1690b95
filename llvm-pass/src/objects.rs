//! The objects that pointers may point into, found at the root of getelementptrs, casts, phis and selects.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use inkwell::llvm_sys::LLVMOpcode;

use crate::calls::intrinsic_name;
use crate::ir::{Call, Class, Constant, Function, Global, Instruction, Layout, Value, attribute_kind};
use crate::names::Names;

/// The size in bytes of the largest private variable whose bytes are followed one by one.
pub(crate) const LARGEST: u64 = 256;

/// The object at the root of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Object {
    /// A local variable, or a parameter that is the callee's own copy (`byval`).
    Local(Value),
    /// A thread-local variable that no other file can name.
    ThreadLocal(Value),
    /// A variable that may not be written.
    Constant,
    /// Memory of the C library that is no business of the program's: `stdout`, `errno`, the tables of ctype.h, and
    /// the areas that a `va_list` walks (always used by one thread).
    Library,
    /// Nothing: the null pointer, or an undefined value.
    Nothing,
    /// Any other memory: threads may share it.
    Other,
}

/// The finder of pointers' roots, for as long as no pointer of the module becomes another one.
pub(crate) struct Objects<'names> {
    names: &'names Names,
    layout: Layout,
    byval: u32,
    /// What was found. Pointers are made from each other in long chains, each of which is asked for.
    found: RefCell<HashMap<Value, Rc<[Object]>>>,
}

impl<'names> Objects<'names> {
    /// Makes a finder for a module of this layout.
    pub(crate) fn new(names: &'names Names, layout: Layout) -> Self {
        Self { names, layout, byval: attribute_kind("byval"), found: RefCell::default() }
    }

    /// Returns the objects that a pointer may point into, each once, in the order of the walk.
    pub(crate) fn of(&self, pointer: Value) -> Rc<[Object]> {
        let known = |value: &Value| self.found.borrow().get(value).cloned();
        if let Some(known) = known(&pointer) {
            return known;
        }
        let mut objects = Vec::new();
        let mut add = |object| {
            if !objects.contains(&object) {
                objects.push(object);
            }
        };
        let mut seen = HashSet::new();
        let mut open = vec![pointer];
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            match known(&value) {
                Some(known) => known.iter().copied().for_each(&mut add),
                None => self.step(value, &mut open).into_iter().for_each(&mut add),
            }
        }
        let objects: Rc<[Object]> = objects.into();
        self.found.borrow_mut().insert(pointer, Rc::clone(&objects));
        objects
    }

    /// Whether all the objects that a pointer may point into satisfy a test, and there is one that is not nothing.
    pub(crate) fn all(&self, pointer: Value, test: impl Fn(Object) -> bool) -> bool {
        let objects = self.of(pointer);
        objects.iter().all(|&object| object == Object::Nothing || test(object))
            && objects.iter().any(|&object| object != Object::Nothing)
    }

    /// Returns the object that a value points to, or adds the pointers that it is made from to `open`.
    fn step(&self, value: Value, open: &mut Vec<Value>) -> Option<Object> {
        if value.is(Class::Alloca) {
            return Some(Object::Local(value));
        }
        if value.is(Class::GlobalVariable) {
            return Some(self.variable(value));
        }
        if value.is(Class::Undefined) || value.is(Class::NullPointer) {
            return Some(Object::Nothing);
        }
        if value.is(Class::Argument) {
            return Some(self.argument(value));
        }
        match value.opcode() {
            Some(
                LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMFreeze,
            ) => {
                open.push(value.operand(0));
                None
            }
            Some(LLVMOpcode::LLVMSelect) => {
                open.extend([value.operand(2), value.operand(1)]);
                None
            }
            Some(LLVMOpcode::LLVMPHI) => {
                open.extend(Instruction(value).incoming().map(|(incoming, _)| incoming));
                None
            }
            Some(LLVMOpcode::LLVMLoad) => {
                Some(if self.is_library_place(value.operand(0)) { Object::Library } else { Object::Other })
            }
            Some(LLVMOpcode::LLVMCall) => self.call(value, open),
            _ => Some(Object::Other),
        }
    }

    /// Returns the object that a global variable is.
    fn variable(&self, global: Value) -> Object {
        if Global(global).is_thread_local() {
            // A large one is not private: loops compare the private ones (`loops.rs`).
            let small = self.layout.store_size(Global(global).value_type()) <= LARGEST;
            return if is_file_local(global) && small { Object::ThreadLocal(global) } else { Object::Other };
        }
        if Global(global).is_constant() {
            return Object::Constant;
        }
        if Global(global).is_declaration() && self.names.is_library_data(&global.name()) {
            return Object::Library;
        }
        Object::Other
    }

    /// Returns the object that an argument points to.
    fn argument(&self, argument: Value) -> Object {
        let function = Function::of_argument(argument);
        let own = (0..function.parameter_count())
            .find(|&index| function.parameter(index) == argument)
            .is_some_and(|index| function.parameter_type_attribute(index, self.byval).is_some());
        if own { Object::Local(argument) } else { Object::Other }
    }

    /// Returns the object that a call's result points to, or adds the argument that the result may be to `open`.
    fn call(&self, call: Value, open: &mut Vec<Value>) -> Option<Object> {
        let callee = Call(call).callee();
        if callee.is(Class::Function) && Function(callee).intrinsic() != 0 {
            if passes_pointer_on(&intrinsic_name(callee)) {
                open.push(call.operand(0));
                return None;
            }
            return Some(Object::Other);
        }
        let library =
            callee.is(Class::Function) && Global(callee).is_declaration() && self.names.is_library_data(&callee.name());
        Some(if library { Object::Library } else { Object::Other })
    }

    /// Whether a pointer is into a `va_list`, or directly into other memory of the library's: what is loaded from there
    /// as a pointer points to memory of the library's again.
    fn is_library_place(&self, pointer: Value) -> bool {
        let (base, _) = constant_offset(self.layout, pointer);
        is_va_list_field(pointer)
            || base.is(Class::GlobalVariable) && self.variable(base) == Object::Library
            || base.opcode() == Some(LLVMOpcode::LLVMCall) && self.call(base, &mut Vec::new()) == Some(Object::Library)
    }

    /// Whether a pointer is into a `va_list`, or into other memory of the library's.
    pub(crate) fn is_library(&self, pointer: Value) -> bool {
        is_va_list_field(pointer) || self.all(pointer, |object| object == Object::Library)
    }
}

/// Whether a thread-local variable can be named in its file alone.
fn is_file_local(global: Value) -> bool {
    use inkwell::llvm_sys::LLVMLinkage::{LLVMInternalLinkage, LLVMPrivateLinkage};
    matches!(Global(global).linkage(), LLVMInternalLinkage | LLVMPrivateLinkage)
}

/// Whether an intrinsic gives back its first argument.
pub(crate) fn passes_pointer_on(intrinsic: &str) -> bool {
    [
        "llvm.threadlocal.address",
        "llvm.ptr.annotation",
        "llvm.launder.",
        "llvm.strip.invariant",
        "llvm.ptrmask",
        "llvm.ssa.copy",
    ]
    .iter()
    .any(|prefix| intrinsic.starts_with(prefix))
}

/// Whether a pointer is to a field of a `va_list`.
fn is_va_list_field(pointer: Value) -> bool {
    pointer.opcode() == Some(LLVMOpcode::LLVMGetElementPtr)
        && Instruction(pointer)
            .source_element_type()
            .struct_name()
            .is_some_and(|name| name.starts_with("struct.__va_list_tag"))
}

/// Splits a pointer into what it is based on and a distance in bytes, where the distance is a constant; through
/// getelementptrs and intrinsics that pass their argument on.
pub(crate) fn constant_offset(layout: Layout, pointer: Value) -> (Value, Option<i64>) {
    let (mut base, mut offset) = (pointer, Some(0));
    while let Some((before, distance)) = step_back(layout, base) {
        offset = offset.and_then(|sum: i64| Some(sum + distance?));
        base = before;
    }
    (base, offset)
}

/// Returns what a pointer is computed from by a getelementptr or an intrinsic that passes it on, and how many bytes that adds, if
/// it is a constant.
pub(crate) fn step_back(layout: Layout, pointer: Value) -> Option<(Value, Option<i64>)> {
    let passes_on = || {
        let callee = Call(pointer).callee();
        callee.is(Class::Function) && Function(callee).intrinsic() != 0 && passes_pointer_on(&intrinsic_name(callee))
    };
    match pointer.opcode()? {
        LLVMOpcode::LLVMGetElementPtr => Some((pointer.operand(0), distance(layout, pointer))),
        LLVMOpcode::LLVMBitCast => Some((pointer.operand(0), Some(0))),
        LLVMOpcode::LLVMCall if passes_on() => Some((pointer.operand(0), Some(0))),
        _ => None,
    }
}

/// Returns how many bytes a getelementptr adds, if that is a constant.
fn distance(layout: Layout, element: Value) -> Option<i64> {
    use inkwell::llvm_sys::LLVMTypeKind::{LLVMArrayTypeKind, LLVMStructTypeKind, LLVMVectorTypeKind};
    let mut kind = Instruction(element).source_element_type();
    let mut sum = 0_i64;
    for position in 1..element.operand_count() {
        let index = element.operand(position);
        if !index.is(Class::ConstantInt) {
            return None;
        }
        let index = Constant(index).signed();
        if position > 1 {
            match kind.kind() {
                LLVMStructTypeKind => {
                    let field = u32::try_from(index).ok()?;
                    sum += i64::try_from(layout.element_offset(kind, field)).ok()?;
                    kind = kind.struct_element(field);
                    continue;
                }
                LLVMArrayTypeKind | LLVMVectorTypeKind => kind = kind.element(),
                _ => return None,
            }
        }
        sum = sum.checked_add(index.checked_mul(i64::try_from(layout.allocated_size(kind)).ok()?)?)?;
    }
    Some(sum)
}
