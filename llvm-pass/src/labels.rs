//! Dependency labels: beside each value of an instrumented function goes a number, the set of loads that the value
//! depends on, 0 for none. What a set is only the runtime knows (`runtime/src/graph/labels.rs`).
//!
//! Carried out last, on what the other hooks have become: so what a hook loads has a label, and so has the memory that
//! it reads or writes on the program's behalf.
//!
//! - What an instruction computes depends on all that its operands depend on; a phi takes the label of the value that
//!   comes in; a struct has a label for each element.
//! - Private memory has a label for each byte, which the runtime keeps: native loads and stores ask for it and set it.
//! - Arguments and results of calls go through a record of the runtime's; the labels of what is passed by value are at
//!   addresses of their own meanwhile, where no memory is. A function that is not instrumented is given
//!   no value that is not known, and its result depends on its arguments.
//! - A branch, an address, a division and a call through a pointer ask for a value that is known.

use std::collections::HashMap;

use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::values::{BasicValue, BasicValueEnum, IntValue, PhiValue, PointerValue};

use crate::calls::{Callee, callee};
use crate::cfg::Graph;
use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{Block, Layout, Type, Value, attribute_kind};
use crate::names::Names;

/// `struct fh_labels` of the hook ABI, in words: the address and the value of the access at hand, what it loads, and
/// then arguments and results.
const ADDRESS: u32 = 0;
const STORED: u32 = 1;
const LOADED: u32 = 2;
const ARGUMENTS: u32 = 3;
const MOST_ARGUMENTS: u32 = 64;
const RESULTS: u32 = ARGUMENTS + MOST_ARGUMENTS;
const MOST_RESULTS: u32 = 16;

/// Labels of values of one function.
struct Labeller<'a, 'ctx> {
    hooks: &'a Hooks<'ctx>,
    names: &'a Names,
    layout: Layout,
    byval: u32,
    /// Of a value the label of each of its elements; none is known of what has no label.
    labels: HashMap<Value, Vec<IntValue<'ctx>>>,
}

/// Puts labels beside all values of a function.
pub(crate) fn emit(hooks: &Hooks, function: Value, names: &Names, layout: Layout) -> Result<()> {
    let graph = Graph::of(function);
    let blocks: Vec<(Block, Vec<Value>)> =
        in_order(&graph).into_iter().map(|block| (block, block.instructions())).collect();
    let mut labeller = Labeller { hooks, names, layout, byval: attribute_kind("byval"), labels: HashMap::new() };
    let mut phis = Vec::new();
    for (block, instructions) in &blocks {
        for &phi in instructions.iter().take_while(|one| one.is_phi()) {
            phis.push((phi, labeller.begin_phi(phi)?));
        }
        if *block == graph.blocks[0] {
            labeller.parameters(function, *block)?;
        }
    }
    for (_, instructions) in &blocks {
        for &instruction in instructions.iter().filter(|one| !one.is_phi()) {
            labeller.instruction(instruction)?;
        }
    }
    for (phi, labels) in phis {
        labeller.end_phi(phi, &labels)?;
    }
    Ok(())
}

/// The blocks, each after those that dominate it.
fn in_order(graph: &Graph) -> Vec<Block> {
    let mut seen = vec![false; graph.blocks.len()];
    let mut order = Vec::new();
    let mut path = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = path.last_mut() {
        if let Some(&successor) = graph.successors(*block).get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[successor], true) {
                path.push((successor, 0));
            }
        } else {
            order.push(graph.blocks[*block]);
            path.pop();
        }
    }
    order.reverse();
    order
}

/// How many labels values of a type have.
fn elements(kind: Type) -> usize {
    match kind.kind() {
        LLVMTypeKind::LLVMStructTypeKind => kind.struct_element_count().max(1) as usize,
        _ => 1,
    }
}

impl<'ctx> Labeller<'_, 'ctx> {
    fn none(&self) -> IntValue<'ctx> {
        self.hooks.number(0)
    }

    /// The labels of a value.
    fn all(&self, value: Value) -> Vec<IntValue<'ctx>> {
        self.labels.get(&value).cloned().unwrap_or_else(|| vec![self.none(); elements(value.kind())])
    }

    /// The label of a whole value.
    fn of(&self, value: Value) -> Result<IntValue<'ctx>> {
        self.labels.get(&value).map_or(Ok(self.none()), |labels| self.union(labels))
    }

    /// Whether it is known now that there is no label.
    fn is_none(label: IntValue<'ctx>) -> bool {
        label.is_const() && label.is_null()
    }

    fn union(&self, labels: &[IntValue<'ctx>]) -> Result<IntValue<'ctx>> {
        let mut all: Vec<IntValue<'ctx>> = Vec::new();
        for &label in labels {
            if !Self::is_none(label) && !all.contains(&label) {
                all.push(label);
            }
        }
        let Some((&first, rest)) = all.split_first() else { return Ok(self.none()) };
        rest.iter().try_fold(first, |sum, &label| self.hooks.call("__fh_label_union", 32, &[sum.into(), label.into()]))
    }

    /// A word of the record.
    fn word(&self, index: u32) -> Result<PointerValue<'ctx>> {
        const NAME: &str = "__fh_labels";
        let module = &self.hooks.module;
        let words = self.hooks.context.i32_type().array_type(RESULTS + MOST_RESULTS);
        let record = module.get_global(NAME).unwrap_or_else(|| module.add_global(words, None, NAME));
        let indices = [self.hooks.number(0), self.hooks.number(index)];
        // SAFETY: the index is within the array.
        Ok(unsafe { self.hooks.builder.build_gep(words, record.as_pointer_value(), &indices, "") }?)
    }

    fn put(&self, index: u32, label: IntValue<'ctx>) -> Result<()> {
        let place = self.word(index)?;
        self.hooks.builder.build_store(place, label)?;
        Ok(())
    }

    fn get(&self, index: u32) -> Result<IntValue<'ctx>> {
        let place = self.word(index)?;
        Ok(self.hooks.builder.build_load(self.hooks.context.i32_type(), place, "")?.into_int_value())
    }

    fn begin_phi(&mut self, phi: Value) -> Result<Vec<PhiValue<'ctx>>> {
        self.hooks.before_debug_records(phi);
        let count = elements(phi.kind());
        let kind = self.hooks.context.i32_type();
        let made =
            (0..count).map(|_| self.hooks.builder.build_phi(kind, "")).collect::<std::result::Result<Vec<_>, _>>()?;
        let labels = made.iter().map(|label| label.as_basic_value().into_int_value()).collect();
        self.labels.insert(phi, labels);
        Ok(made)
    }

    fn end_phi(&self, phi: Value, labels: &[PhiValue<'ctx>]) -> Result<()> {
        for (value, block) in phi.incoming() {
            let block = block.typed().ok_or_else(|| Failure::new("an edge from no block"))?;
            for (label, incoming) in labels.iter().zip(self.all(value)) {
                label.add_incoming(&[(&incoming as &dyn BasicValue, block)]);
            }
        }
        Ok(())
    }

    /// What a function's arguments depend on: the record has it, and is ready for a caller that knows nothing of labels.
    fn parameters(&mut self, function: Value, entry: Block) -> Result<()> {
        let first = entry.first_non_phi().ok_or_else(|| Failure::new("a block without an end"))?;
        self.hooks.before(first);
        self.hooks.builder.unset_current_debug_location();
        let mut slot = 0;
        for index in 0..function.parameter_count() {
            let parameter = function.parameter(index);
            if let Some(kind) = function.parameter_type_attribute(index, self.byval) {
                self.take_copy(index, parameter, kind)?;
            }
            let mut labels = Vec::new();
            for _ in 0..elements(parameter.kind()) {
                if slot < MOST_ARGUMENTS {
                    labels.push(self.get(ARGUMENTS + slot)?);
                    self.put(ARGUMENTS + slot, self.none())?;
                    slot += 1;
                } else {
                    labels.push(self.none());
                }
            }
            self.labels.insert(parameter, labels);
        }
        Ok(())
    }

    /// Where the labels of an argument that is passed by value are on their way: no memory is there.
    fn passing(&self, index: u32) -> PointerValue<'ctx> {
        const NOWHERE: u64 = 1 << 60;
        self.hooks.long(NOWHERE + (u64::from(index) << 32)).const_to_pointer(self.hooks.pointer_type())
    }

    /// Takes the labels of an argument that is passed by value along.
    fn pass_copy(&self, index: u32, argument: Value, kind: Type) -> Result<()> {
        let (to, size) = (self.passing(index).into(), self.hooks.long(self.layout.allocated_size(kind)).into());
        self.hooks.call("__fh_label_copy", 0, &[to, argument.basic(), size]).map(drop)
    }

    /// Gives a function's own copy the labels that came along; none are left for a caller that knows nothing of them.
    fn take_copy(&self, index: u32, copy: Value, kind: Type) -> Result<()> {
        let (from, size) = (self.passing(index).into(), self.hooks.long(self.layout.allocated_size(kind)).into());
        self.hooks.call("__fh_label_copy", 0, &[copy.basic(), from, size])?;
        self.hooks.call("__fh_label_put", 0, &[from, size, self.none().into()]).map(drop)
    }

    /// Asks for a value that is known.
    fn know(&self, label: IntValue<'ctx>) -> Result<()> {
        if !Self::is_none(label) {
            self.hooks.call("__fh_label_know", 0, &[label.into()])?;
        }
        Ok(())
    }

    /// The same for what is branched on.
    fn branch(&self, label: IntValue<'ctx>) -> Result<()> {
        if !Self::is_none(label) {
            self.hooks.call("__fh_label_branch", 0, &[label.into()])?;
        }
        Ok(())
    }

    /// Goes on building behind an instruction.
    fn behind(&self, instruction: Value) -> Result<()> {
        let next = instruction.next().ok_or_else(|| Failure::new("a value that ends a block"))?;
        self.hooks.before(next);
        Ok(())
    }

    fn instruction(&mut self, instruction: Value) -> Result<()> {
        use LLVMOpcode::{
            LLVMAlloca, LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMBr, LLVMCall, LLVMCallBr, LLVMExtractValue, LLVMFence,
            LLVMIndirectBr, LLVMInsertValue, LLVMInvoke, LLVMLandingPad, LLVMLoad, LLVMResume, LLVMRet, LLVMStore,
            LLVMSwitch, LLVMUnreachable, LLVMVAArg,
        };
        self.hooks.before(instruction);
        let Some(opcode) = instruction.opcode() else { return Ok(()) };
        match opcode {
            LLVMAlloca => self.alloca(instruction),
            LLVMLoad => self.load(instruction),
            LLVMStore => self.store(instruction),
            LLVMAtomicRMW | LLVMAtomicCmpXchg => self.exchange(instruction, opcode),
            LLVMCall => self.call(instruction),
            LLVMInvoke | LLVMCallBr | LLVMVAArg => self.refuse("a dependency through this instruction"),
            LLVMBr => match instruction.operand_count() {
                3 => self.branch(self.of(instruction.operand(0))?),
                _ => Ok(()),
            },
            LLVMSwitch | LLVMIndirectBr => self.branch(self.of(instruction.operand(0))?),
            LLVMRet => self.results(instruction),
            LLVMExtractValue => self.extract(instruction),
            LLVMInsertValue => self.insert(instruction),
            LLVMUnreachable | LLVMFence | LLVMLandingPad | LLVMResume => Ok(()),
            _ => self.compute(instruction, opcode),
        }
    }

    /// What computes a value from others.
    fn compute(&mut self, instruction: Value, opcode: LLVMOpcode) -> Result<()> {
        let labels = instruction.operands().map(|operand| self.of(operand)).collect::<Result<Vec<_>>>()?;
        let label = self.union(&labels)?;
        if matches!(opcode, LLVMOpcode::LLVMUDiv | LLVMOpcode::LLVMSDiv | LLVMOpcode::LLVMURem | LLVMOpcode::LLVMSRem) {
            self.know(label)?;
        }
        self.set(instruction, label);
        Ok(())
    }

    fn set(&mut self, value: Value, label: IntValue<'ctx>) {
        if !Self::is_none(label) {
            self.labels.insert(value, vec![label; elements(value.kind())]);
        }
    }

    fn extract(&mut self, instruction: Value) -> Result<()> {
        let from = self.all(instruction.operand(0));
        let index = instruction.first_index() as usize;
        let label = match from.get(index) {
            Some(&label) => label,
            None => self.union(&from)?,
        };
        self.set(instruction, label);
        Ok(())
    }

    fn insert(&mut self, instruction: Value) -> Result<()> {
        let mut labels = self.all(instruction.operand(0));
        let new = self.of(instruction.operand(1))?;
        let index = instruction.first_index() as usize;
        let whole = instruction.index_count() == 1;
        match labels.get(index).copied() {
            Some(_) if whole => labels[index] = new,
            Some(old) => labels[index] = self.union(&[old, new])?,
            None => labels = vec![self.union(&[labels[0], new])?],
        }
        self.labels.insert(instruction, labels);
        Ok(())
    }

    fn length(&self, kind: Type) -> BasicValueEnum<'ctx> {
        self.hooks.long(self.layout.store_size(kind)).into()
    }

    /// Room in the frame, which may have been another variable's.
    fn alloca(&self, alloca: Value) -> Result<()> {
        self.behind(alloca)?;
        let each = self.hooks.long(self.layout.allocated_size(alloca.allocated_type()));
        let count: IntValue = alloca.operand(0).integer();
        let count = self.hooks.builder.build_int_z_extend_or_bit_cast(count, self.hooks.context.i64_type(), "")?;
        let size = self.hooks.builder.build_int_mul(count, each, "")?;
        self.hooks.call("__fh_label_put", 0, &[alloca.basic(), size.into(), self.none().into()]).map(drop)
    }

    /// A load of private memory.
    fn load(&mut self, load: Value) -> Result<()> {
        let address = self.of(load.operand(0))?;
        self.know(address)?;
        let offsets = self.parts(load.kind());
        let mut labels = Vec::new();
        for (offset, size) in offsets {
            let place = self.displaced(load.operand(0).pointer(), offset)?;
            let size = self.hooks.long(size).into();
            let content = self.hooks.call("__fh_label_get", 32, &[place.into(), size])?;
            labels.push(self.union(&[content, address])?);
        }
        self.labels.insert(load, labels);
        Ok(())
    }

    /// Where the elements of a type are, each with its size.
    fn parts(&self, kind: Type) -> Vec<(u64, u64)> {
        match kind.kind() {
            LLVMTypeKind::LLVMStructTypeKind if kind.struct_element_count() > 0 => (0..kind.struct_element_count())
                .map(|index| {
                    (self.layout.element_offset(kind, index), self.layout.store_size(kind.struct_element(index)))
                })
                .collect(),
            _ => vec![(0, self.layout.store_size(kind))],
        }
    }

    fn displaced(&self, pointer: PointerValue<'ctx>, offset: u64) -> Result<PointerValue<'ctx>> {
        if offset == 0 {
            return Ok(pointer);
        }
        // SAFETY: the offset is within what the pointer points to.
        Ok(unsafe {
            self.hooks.builder.build_gep(self.hooks.context.i8_type(), pointer, &[self.hooks.long(offset)], "")
        }?)
    }

    /// A store to private memory.
    fn store(&self, store: Value) -> Result<()> {
        let (value, address) = (store.operand(0), self.of(store.operand(1))?);
        self.know(address)?;
        for ((offset, size), label) in self.parts(value.kind()).into_iter().zip(self.all(value)) {
            let place = self.displaced(store.operand(1).pointer(), offset)?;
            let label = self.union(&[label, address])?;
            self.hooks.call("__fh_label_put", 0, &[place.into(), self.hooks.long(size).into(), label.into()])?;
        }
        Ok(())
    }

    /// A read-modify-write of private memory.
    fn exchange(&mut self, instruction: Value, opcode: LLVMOpcode) -> Result<()> {
        let address = self.of(instruction.operand(0))?;
        self.know(address)?;
        let (place, size) = (instruction.operand(0).basic(), self.length(instruction.operand(1).kind()));
        let old = self.hooks.call("__fh_label_get", 32, &[place, size])?;
        let mut all = vec![old, address, self.of(instruction.operand(1))?];
        if opcode == LLVMOpcode::LLVMAtomicCmpXchg {
            all.push(self.of(instruction.operand(2))?);
        }
        let new = self.union(&all)?;
        self.hooks.call("__fh_label_put", 0, &[place, size, new.into()])?;
        let read = if opcode == LLVMOpcode::LLVMAtomicCmpXchg { new } else { self.union(&[old, address])? };
        self.set(instruction, read);
        Ok(())
    }

    fn refuse(&self, what: &str) -> Result<()> {
        let text = self.hooks.builder.build_global_string_ptr(what, ".fh.text")?;
        self.hooks.call("__fh_label_refuse", 0, &[text.as_pointer_value().into()]).map(drop)
    }

    fn results(&self, instruction: Value) -> Result<()> {
        if instruction.operand_count() == 0 {
            return Ok(());
        }
        for (index, label) in (0..MOST_RESULTS).zip(self.all(instruction.operand(0))) {
            self.put(RESULTS + index, label)?;
        }
        Ok(())
    }

    fn call(&mut self, call: Value) -> Result<()> {
        if call.is_must_tail_call() {
            return self.refuse("a dependency through a call that must be a jump");
        }
        let name = if call.callee().is_function() { call.callee().name() } else { String::new() };
        if let Some(hook) = name.strip_prefix("__fh_") {
            return self.hook(call, hook);
        }
        match callee(call, self.names) {
            Callee::Own | Callee::Indirect => self.instrumented(call),
            Callee::Memory(copies) => self.memory(call, copies),
            Callee::Intrinsic(name) if name.starts_with("llvm.va_") => {
                self.refuse("a dependency through variable arguments")
            }
            Callee::Intrinsic(name) if is_silent(&name) => Ok(()),
            _ => self.native(call),
        }
    }

    /// A call of a function that knows of labels, or may.
    fn instrumented(&mut self, call: Value) -> Result<()> {
        self.branch(self.of(call.callee())?)?;
        let mut slot = 0;
        for (index, argument) in call.arguments() {
            if let Some(kind) = call.call_type_attribute(index, self.byval) {
                self.pass_copy(index, argument, kind)?;
            }
            for label in self.all(argument) {
                if slot == MOST_ARGUMENTS {
                    return self.refuse("a dependency through so many arguments");
                }
                self.put(ARGUMENTS + slot, label)?;
                slot += 1;
            }
        }
        if call.kind().kind() == LLVMTypeKind::LLVMVoidTypeKind {
            return Ok(());
        }
        let count = (0..).take(elements(call.kind()));
        for index in count.clone() {
            self.put(RESULTS + index, self.none())?;
        }
        self.behind(call)?;
        let labels = count.map(|index| self.get(RESULTS + index.min(MOST_RESULTS - 1))).collect::<Result<_>>()?;
        self.labels.insert(call, labels);
        Ok(())
    }

    /// A call of a function that does not.
    fn native(&mut self, call: Value) -> Result<()> {
        let mut labels = call.arguments().map(|(_, argument)| self.of(argument)).collect::<Result<Vec<_>>>()?;
        for (index, argument) in call.arguments() {
            if let Some(kind) = call.call_type_attribute(index, self.byval) {
                labels.push(self.hooks.call("__fh_label_get", 32, &[argument.basic(), self.length(kind)])?);
            }
        }
        let label = self.union(&labels)?;
        let computes = matches!(callee(call, self.names), Callee::Intrinsic(_) | Callee::Assembly(_));
        if !computes {
            self.know(label)?;
        }
        if call.kind().kind() != LLVMTypeKind::LLVMVoidTypeKind {
            self.set(call, label);
        }
        Ok(())
    }

    /// A copy or fill of private memory.
    fn memory(&mut self, call: Value, copies: bool) -> Result<()> {
        let (to, from, length) = (call.operand(0), call.operand(1), call.operand(2));
        let address = self.of(to)?;
        let extent = self.union(&[address, self.of(length)?])?;
        let source = self.of(from)?;
        self.know(if copies { self.union(&[extent, source])? } else { extent })?;
        let size =
            self.hooks.builder.build_int_z_extend_or_bit_cast(length.integer(), self.hooks.context.i64_type(), "")?;
        if copies {
            self.hooks.call("__fh_label_copy", 0, &[to.basic(), from.basic(), size.into()])?;
        } else {
            self.hooks.call("__fh_label_put", 0, &[to.basic(), size.into(), source.into()])?;
        }
        self.set(call, address);
        Ok(())
    }

    /// A call of a hook.
    fn hook(&mut self, call: Value, hook: &str) -> Result<()> {
        let accesses = ["load", "store", "rmw", "cas", "weak_cas", "atomic_", "read", "write", "copy", "fill"];
        if !accesses.iter().any(|prefix| hook.starts_with(prefix)) {
            return Ok(());
        }
        self.put(ADDRESS, self.of(call.operand(0))?)?;
        let stores = |name: &str| hook.trim_start_matches("atomic_").starts_with(name);
        let stored = match () {
            () if stores("store") || stores("rmw") || stores("fill") => self.of(call.operand(1))?,
            () if stores("cas") || stores("weak_cas") => {
                let (expected, desired) = (self.of(call.operand(1))?, self.of(call.operand(2))?);
                self.union(&[expected, desired])?
            }
            () if stores("copy") => self.of(call.operand(1))?,
            () => self.none(),
        };
        self.put(STORED, stored)?;
        if call.kind().kind() != LLVMTypeKind::LLVMVoidTypeKind {
            self.behind(call)?;
            let label = self.get(LOADED)?;
            self.labels.insert(call, vec![label]);
        }
        Ok(())
    }
}

/// Whether an intrinsic computes nothing and touches no memory.
fn is_silent(name: &str) -> bool {
    ["llvm.lifetime.", "llvm.dbg.", "llvm.stack", "llvm.assume", "llvm.experimental.noalias"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
