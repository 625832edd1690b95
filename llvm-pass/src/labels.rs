//! Dependency labels: beside each value of an instrumented function goes a number, the set of loads that the value depends on, 0
//! for none. Only the runtime knows what a set is (`runtime/src/state/graph/labels.rs`).
//!
//! Carried out last, on what the other hooks have become: so what a hook loads has a label, and so has the memory that
//! it reads or writes on the program's behalf.
//!
//! - What an instruction computes depends on all that its operands depend on; a phi takes the label of the value that
//!   comes in, a selection that of the value chosen, and what chooses picks it; a struct has a label for each element.
//! - Private memory has a label for each byte, which the runtime keeps: native loads and stores ask for it and set it.
//! - Arguments and results of calls go through a record of the runtime's; the labels of what is passed by value are at
//!   addresses of their own meanwhile, where no memory is. A function that is not instrumented is given
//!   no value that is not known: it branches on its arguments, and its result depends on them.
//! - A branch, an address and a call through a pointer ask for a value that is known. All that comes later depends on it then:
//!   the search may run the thread again with what is before an access alone, and has to come as far. A division by a value that
//!   is not known is one by 1.

mod code;
mod stack;

use std::collections::HashMap;

use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::values::{BasicValue, IntValue, PhiValue};

use crate::calls::{Callee, callee};
use crate::cfg::FlowGraph;
use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{Block, Call, Class, Function, Instruction, Layout, Type, Value, attribute_kind};
use crate::names::Names;
use crate::objects::{Object, Objects};
use code::{
    ADDRESS, ARGUMENTS, Code, EXPECTED, LOADED, MOST_ARGUMENTS, MOST_RESULTS, RESULTS, STORED, UNUSED, is_none,
};
use stack::{Stack, makes_room};

/// The modelled function that only shows a value: nothing that comes later depends on it.
const SHOWS: &str = "fh_observe";

/// The modelled functions that return a value that the thread has given them before.
const GIVES_BACK: [&str; 2] = ["pthread_getspecific", "tss_get"];

/// The builder of the labels of one function.
struct Labeller<'a, 'ctx> {
    code: Code<'a, 'ctx>,
    names: &'a Names,
    byval: u32,
    /// The labels of each value that has any, one for each of its elements.
    labels: HashMap<Value, Vec<IntValue<'ctx>>>,
    stack: Stack<'ctx>,
}

/// Puts labels beside all values of a function.
pub(crate) fn emit(hooks: &Hooks, function: Value, names: &Names, layout: Layout) -> Result<()> {
    let graph = FlowGraph::of(function);
    let blocks: Vec<(Block, Vec<Value>)> = graph
        .reverse_postorder()
        .into_iter()
        .map(|number| graph.blocks[number])
        .map(|block| (block, block.instructions()))
        .collect();
    let byval = attribute_kind("byval");
    let (code, labels) = (Code { hooks, layout }, HashMap::new());
    let has_room = blocks.iter().flat_map(|(_, instructions)| instructions).any(|&one| makes_room(one));
    let stack = if has_room { Stack::of_computed_size(&code, graph.blocks[0])? } else { Stack::default() };
    let mut labeller = Labeller { code, names, byval, labels, stack };
    let mut phis = Vec::new();
    for (block, instructions) in &blocks {
        for &phi in instructions.iter().take_while(|one| one.is(Class::Phi)) {
            phis.push((phi, labeller.begin_phi(phi)?));
        }
        if *block == graph.blocks[0] {
            labeller.parameters(function, *block)?;
        }
    }
    for (_, instructions) in &blocks {
        for &instruction in instructions.iter().filter(|one| !one.is(Class::Phi)) {
            labeller.instruction(instruction)?;
        }
    }
    for (phi, labels) in phis {
        labeller.end_phi(phi, &labels)?;
    }
    Ok(())
}

/// Returns how many labels values of a type have.
fn elements(kind: Type) -> usize {
    match kind.kind() {
        LLVMTypeKind::LLVMStructTypeKind => kind.struct_element_count().max(1) as usize,
        _ => 1,
    }
}

impl<'ctx> Labeller<'_, 'ctx> {
    /// Returns the labels of a value.
    fn all(&self, value: Value) -> Vec<IntValue<'ctx>> {
        self.labels.get(&value).cloned().unwrap_or_else(|| vec![self.code.none(); elements(value.kind())])
    }

    /// Returns the label of a whole value.
    fn of(&self, value: Value) -> Result<IntValue<'ctx>> {
        self.labels.get(&value).map_or(Ok(self.code.none()), |labels| self.code.union(labels))
    }

    fn begin_phi(&mut self, phi: Value) -> Result<Vec<PhiValue<'ctx>>> {
        self.code.hooks.before_debug_records(phi);
        let count = elements(phi.kind());
        let kind = self.code.hooks.context.i32_type();
        let made = (0..count)
            .map(|_| self.code.hooks.builder.build_phi(kind, ""))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let labels = made.iter().map(|label| label.as_basic_value().into_int_value()).collect();
        self.labels.insert(phi, labels);
        Ok(made)
    }

    fn end_phi(&self, phi: Value, labels: &[PhiValue<'ctx>]) -> Result<()> {
        for (value, block) in Instruction(phi).incoming() {
            let block = block.typed().ok_or_else(|| Failure::new("an edge from no block"))?;
            for (label, incoming) in labels.iter().zip(self.all(value)) {
                label.add_incoming(&[(&incoming as &dyn BasicValue, block)]);
            }
        }
        Ok(())
    }

    /// Takes the labels of a function's arguments out of the record, and clears them there, for a caller that knows
    /// nothing of labels.
    fn parameters(&mut self, function: Value, entry: Block) -> Result<()> {
        let first = entry.first_non_phi().ok_or_else(|| Failure::new("a block without an end"))?;
        self.code.hooks.before(first);
        self.code.hooks.builder.unset_current_debug_location();
        let mut slot = 0;
        for index in 0..Function(function).parameter_count() {
            let parameter = Function(function).parameter(index);
            if let Some(kind) = Function(function).parameter_type_attribute(index, self.byval) {
                self.code.take_copy(index, parameter, kind)?;
            }
            let mut labels = Vec::new();
            for _ in 0..elements(parameter.kind()) {
                if slot < MOST_ARGUMENTS {
                    labels.push(self.code.get(ARGUMENTS + slot)?);
                    self.code.put(ARGUMENTS + slot, self.code.none())?;
                    slot += 1;
                } else {
                    labels.push(self.code.none());
                }
            }
            self.labels.insert(parameter, labels);
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: Value) -> Result<()> {
        use LLVMOpcode::{
            LLVMAlloca, LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMBr, LLVMCall, LLVMCallBr, LLVMExtractValue, LLVMFence,
            LLVMIndirectBr, LLVMInsertValue, LLVMInvoke, LLVMLandingPad, LLVMLoad, LLVMResume, LLVMRet, LLVMSelect,
            LLVMStore, LLVMSwitch, LLVMUnreachable, LLVMVAArg,
        };
        self.code.hooks.before(instruction);
        let Some(opcode) = instruction.opcode() else { return Ok(()) };
        match opcode {
            LLVMAlloca => self.alloca(instruction),
            LLVMLoad => self.load(instruction),
            LLVMStore => self.store(instruction),
            LLVMAtomicRMW | LLVMAtomicCmpXchg => self.exchange(instruction, opcode),
            LLVMCall => self.call(instruction),
            LLVMInvoke | LLVMCallBr | LLVMVAArg => self.code.refuse("a dependency through this instruction"),
            LLVMBr => match instruction.operand_count() {
                3 => self.code.branch(self.of(instruction.operand(0))?),
                _ => Ok(()),
            },
            LLVMSwitch | LLVMIndirectBr => self.code.branch(self.of(instruction.operand(0))?),
            LLVMRet => self.results(instruction),
            LLVMExtractValue => self.extract(instruction),
            LLVMInsertValue => self.insert(instruction),
            LLVMSelect => self.select(instruction),
            LLVMUnreachable | LLVMFence | LLVMLandingPad | LLVMResume => Ok(()),
            _ => self.compute(instruction, opcode),
        }
    }

    /// Labels an instruction that computes a value from others.
    fn compute(&mut self, instruction: Value, opcode: LLVMOpcode) -> Result<()> {
        let labels = instruction.operands().map(|operand| self.of(operand)).collect::<Result<Vec<_>>>()?;
        let label = self.code.union(&labels)?;
        if matches!(opcode, LLVMOpcode::LLVMUDiv | LLVMOpcode::LLVMSDiv | LLVMOpcode::LLVMURem | LLVMOpcode::LLVMSRem) {
            self.code.divide(instruction, label)?;
        }
        self.set(instruction, label);
        Ok(())
    }

    /// Labels one of two values; if they are vectors, as what is computed.
    fn select(&mut self, select: Value) -> Result<()> {
        let condition = select.operand(0);
        if condition.kind().kind() != LLVMTypeKind::LLVMIntegerTypeKind {
            return self.compute(select, LLVMOpcode::LLVMSelect);
        }
        let by = self.of(condition)?;
        let [one, two] = [1, 2].map(|operand| self.all(select.operand(operand)));
        let pairs = one.into_iter().zip(two);
        let labels = pairs
            .map(|(one, two)| self.code.select(by, condition.integer(), [one, two]))
            .collect::<Result<Vec<_>>>()?;
        self.labels.insert(select, labels);
        Ok(())
    }

    fn set(&mut self, value: Value, label: IntValue<'ctx>) {
        if !is_none(label) {
            self.labels.insert(value, vec![label; elements(value.kind())]);
        }
    }

    fn extract(&mut self, instruction: Value) -> Result<()> {
        let from = self.all(instruction.operand(0));
        let index = Instruction(instruction).first_index() as usize;
        let label = match from.get(index) {
            Some(&label) => label,
            None => self.code.union(&from)?,
        };
        self.set(instruction, label);
        Ok(())
    }

    fn insert(&mut self, instruction: Value) -> Result<()> {
        let mut labels = self.all(instruction.operand(0));
        let new = self.of(instruction.operand(1))?;
        let index = Instruction(instruction).first_index() as usize;
        let whole = Instruction(instruction).index_count() == 1;
        match labels.get(index).copied() {
            Some(_) if whole => labels[index] = new,
            Some(old) => labels[index] = self.code.union(&[old, new])?,
            None => labels = vec![self.code.union(&[labels[0], new])?],
        }
        self.labels.insert(instruction, labels);
        Ok(())
    }

    /// Clears the labels of a new local variable, whose memory may have been another one's. Where it is depends on its size, and on
    /// that of others before it.
    fn alloca(&mut self, alloca: Value) -> Result<()> {
        self.code.behind(alloca)?;
        let size = self.extent(alloca)?;
        self.code.hooks.call("__fh_label_put", &[alloca.basic(), size.into(), self.code.none().into()])?;
        if makes_room(alloca) {
            let label = self.code.union(&[self.stack.label(&self.code)?, self.of(alloca.operand(0))?])?;
            self.stack.set(&self.code, label)?;
            self.set(alloca, label);
        }
        Ok(())
    }

    /// Returns the number of bytes of a local variable.
    fn extent(&self, alloca: Value) -> Result<IntValue<'ctx>> {
        let each = self.code.hooks.long(self.code.layout.allocated_size(Instruction(alloca).allocated_type()));
        let count: IntValue = alloca.operand(0).integer();
        let count =
            self.code.hooks.builder.build_int_z_extend_or_bit_cast(count, self.code.hooks.context.i64_type(), "")?;
        Ok(self.code.hooks.builder.build_int_mul(count, each, "")?)
    }

    /// Labels a load of private memory.
    fn load(&mut self, load: Value) -> Result<()> {
        let address = self.of(load.operand(0))?;
        self.code.address(address)?;
        let offsets = self.code.parts(load.kind());
        let mut labels = Vec::new();
        for (offset, size) in offsets {
            let place = self.code.displaced(load.operand(0).pointer(), offset)?;
            let size = self.code.hooks.long(size).into();
            let content = self.code.hooks.call("__fh_label_get", &[place.into(), size])?;
            labels.push(self.code.union(&[content, address])?);
        }
        self.labels.insert(load, labels);
        Ok(())
    }

    /// Stores the labels of what is stored to private memory.
    fn store(&self, store: Value) -> Result<()> {
        let (value, address) = (store.operand(0), self.of(store.operand(1))?);
        self.code.address(address)?;
        for ((offset, size), label) in self.code.parts(value.kind()).into_iter().zip(self.all(value)) {
            let place = self.code.displaced(store.operand(1).pointer(), offset)?;
            let label = self.code.union(&[label, address])?;
            self.code.hooks.call("__fh_label_put", &[place.into(), self.code.hooks.long(size).into(), label.into()])?;
        }
        Ok(())
    }

    /// Labels a read-modify-write of private memory.
    fn exchange(&mut self, instruction: Value, opcode: LLVMOpcode) -> Result<()> {
        let address = self.of(instruction.operand(0))?;
        self.code.address(address)?;
        let (place, size) = (instruction.operand(0).basic(), self.code.length(instruction.operand(1).kind()));
        let old = self.code.hooks.call("__fh_label_get", &[place, size])?;
        let mut all = vec![old, address, self.of(instruction.operand(1))?];
        if opcode == LLVMOpcode::LLVMAtomicCmpXchg {
            all.push(self.of(instruction.operand(2))?);
        }
        let new = self.code.union(&all)?;
        self.code.hooks.call("__fh_label_put", &[place, size, new.into()])?;
        let read = if opcode == LLVMOpcode::LLVMAtomicCmpXchg { new } else { self.code.union(&[old, address])? };
        self.set(instruction, read);
        Ok(())
    }

    fn results(&self, instruction: Value) -> Result<()> {
        if instruction.operand_count() == 0 {
            return Ok(());
        }
        for (index, label) in (0..MOST_RESULTS).zip(self.all(instruction.operand(0))) {
            self.code.put(RESULTS + index, label)?;
        }
        Ok(())
    }

    fn call(&mut self, call: Value) -> Result<()> {
        if Call(call).is_must_tail_call() {
            return self.code.refuse("a dependency through a call that must be a jump");
        }
        let name = if Call(call).callee().is(Class::Function) { Call(call).callee().name() } else { String::new() };
        if let Some(hook) = name.strip_prefix("__fh_") {
            return self.hook(call, hook);
        }
        match callee(call, self.names) {
            Callee::Own | Callee::Indirect => self.instrumented(call),
            Callee::Memory(copies) => self.memory(call, copies),
            Callee::Intrinsic(name) if name.starts_with("llvm.va_") => {
                self.code.refuse("a dependency through variable arguments")
            }
            Callee::Intrinsic(name) if name.starts_with("llvm.stacksave") => {
                let label = self.stack.label(&self.code)?;
                self.set(call, label);
                Ok(())
            }
            Callee::Intrinsic(name) if name.starts_with("llvm.stackrestore") => {
                self.stack.set(&self.code, self.of(call.operand(0))?)
            }
            Callee::Intrinsic(name) if is_silent(&name) => Ok(()),
            _ => self.native(call),
        }
    }

    /// Passes labels to a function that knows of labels, or may, and takes those of its result.
    fn instrumented(&mut self, call: Value) -> Result<()> {
        self.code.branch(self.of(Call(call).callee())?)?;
        self.code.address(self.stack.label(&self.code)?)?;
        let mut slot = 0;
        for (index, argument) in Call(call).arguments() {
            if let Some(kind) = Call(call).type_attribute(index, self.byval) {
                self.code.pass_copy(index, argument, kind)?;
            }
            for label in self.all(argument) {
                if slot == MOST_ARGUMENTS {
                    return self.code.refuse("a dependency through so many arguments");
                }
                self.code.put(ARGUMENTS + slot, label)?;
                slot += 1;
            }
        }
        if call.kind().kind() == LLVMTypeKind::LLVMVoidTypeKind {
            return Ok(());
        }
        let count = (0..).take(elements(call.kind()));
        for index in count.clone() {
            self.code.put(RESULTS + index, self.code.none())?;
        }
        self.code.behind(call)?;
        let labels = count.map(|index| self.code.get(RESULTS + index.min(MOST_RESULTS - 1))).collect::<Result<_>>()?;
        self.labels.insert(call, labels);
        Ok(())
    }

    /// Labels the result of a function that knows nothing of labels, and may be given only values that are known.
    fn native(&mut self, call: Value) -> Result<()> {
        let mut labels = Call(call).arguments().map(|(_, argument)| self.of(argument)).collect::<Result<Vec<_>>>()?;
        for (index, argument) in Call(call).arguments() {
            if let Some(kind) = Call(call).type_attribute(index, self.byval) {
                labels.push(self.code.hooks.call("__fh_label_get", &[argument.basic(), self.code.length(kind)])?);
            }
        }
        let mut label = self.code.union(&labels)?;
        match callee(call, self.names) {
            Callee::Modelled(name) if name != SHOWS => {
                self.code.operands(label)?;
                if GIVES_BACK.contains(&name.as_str()) {
                    self.code.put(RESULTS, self.code.none())?;
                    self.code.behind(call)?;
                    label = self.code.union(&[label, self.code.get(RESULTS)?])?;
                }
            }
            Callee::Intrinsic(_) | Callee::Assembly(_) | Callee::Modelled(_) => {}
            _ => {
                self.code.branch(label)?;
                self.lends(call)?;
            }
        }
        if call.kind().kind() != LLVMTypeKind::LLVMVoidTypeKind {
            self.set(call, label);
        }
        Ok(())
    }

    /// Lets the thread wait for what the local variables hold that a function which knows nothing of labels is passed.
    fn lends(&self, call: Value) -> Result<()> {
        let objects = Objects::new(self.names, self.code.layout);
        let pointers = Call(call).arguments().map(|(_, argument)| argument);
        for pointer in pointers.filter(|argument| argument.kind().is_pointer()) {
            for &object in objects.of(pointer).iter() {
                let Object::Local(local) = object else { continue };
                if local.is(Class::Alloca) {
                    let size = self.extent(local)?;
                    self.code.hooks.call("__fh_label_branch_memory", &[local.basic(), size.into()])?;
                }
            }
        }
        Ok(())
    }

    /// Copies or sets the labels of private memory that is copied or filled.
    fn memory(&mut self, call: Value, copies: bool) -> Result<()> {
        let (to, from, length) = (call.operand(0), call.operand(1), call.operand(2));
        let address = self.of(to)?;
        let extent = self.code.union(&[address, self.of(length)?])?;
        let source = self.of(from)?;
        self.code.address(if copies { self.code.union(&[extent, source])? } else { extent })?;
        let size = self.code.hooks.builder.build_int_z_extend_or_bit_cast(
            length.integer(),
            self.code.hooks.context.i64_type(),
            "",
        )?;
        if copies {
            self.code.hooks.call("__fh_label_copy", &[to.basic(), from.basic(), size.into()])?;
        } else {
            self.code.hooks.call("__fh_label_put", &[to.basic(), size.into(), source.into()])?;
        }
        self.set(call, address);
        Ok(())
    }

    /// Tells a hook the labels of its address and value, and takes that of what it has loaded.
    fn hook(&mut self, call: Value, hook: &str) -> Result<()> {
        let accesses = ["load", "store", "rmw", "cas", "weak_cas", "atomic_", "read", "write", "copy", "fill"];
        if !accesses.iter().any(|prefix| hook.starts_with(prefix)) {
            return Ok(());
        }
        let stores = |name: &str| hook.trim_start_matches("atomic_").starts_with(name);
        if ["copy", "fill", "read", "write"].into_iter().any(stores) {
            // How many bytes there are decides whether an access comes at all.
            self.code.branch(self.of(call.operand(2))?)?;
        }
        self.code.put(ADDRESS, self.of(call.operand(0))?)?;
        let stored = match () {
            () if stores("store") || stores("rmw") || stores("fill") => self.of(call.operand(1))?,
            () if stores("cas") || stores("weak_cas") => {
                self.code.put(EXPECTED, self.of(call.operand(1))?)?;
                self.of(call.operand(2))?
            }
            () if stores("copy") => self.of(call.operand(1))?,
            () => self.code.none(),
        };
        self.code.put(STORED, stored)?;
        if stores("rmw") {
            self.code.put(UNUSED, self.code.hooks.number(u32::from(!is_used(call))))?;
        }
        if call.kind().kind() != LLVMTypeKind::LLVMVoidTypeKind {
            self.code.behind(call)?;
            let label = self.code.get(LOADED)?;
            self.labels.insert(call, vec![label]);
        }
        Ok(())
    }
}

/// Whether anything depends on a value but what is computed and not used.
fn is_used(value: Value) -> bool {
    let mut seen = vec![value];
    let mut next = 0;
    while let Some(&value) = seen.get(next) {
        next += 1;
        for user in value.users() {
            if !computes(user) {
                return true;
            }
            if !seen.contains(&user) {
                seen.push(user);
            }
        }
    }
    false
}

/// Whether an instruction does nothing but compute a value.
fn computes(value: Value) -> bool {
    use LLVMOpcode as Op;
    value.opcode().is_some_and(|opcode| {
        !matches!(
            opcode,
            Op::LLVMCall
                | Op::LLVMInvoke
                | Op::LLVMCallBr
                | Op::LLVMLoad
                | Op::LLVMStore
                | Op::LLVMAtomicRMW
                | Op::LLVMAtomicCmpXchg
                | Op::LLVMAlloca
                | Op::LLVMVAArg
                | Op::LLVMBr
                | Op::LLVMSwitch
                | Op::LLVMIndirectBr
                | Op::LLVMRet
                | Op::LLVMResume
        )
    })
}

/// Whether an intrinsic computes nothing and touches no memory.
fn is_silent(name: &str) -> bool {
    ["llvm.lifetime.", "llvm.dbg.", "llvm.stack", "llvm.assume", "llvm.experimental.noalias"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
