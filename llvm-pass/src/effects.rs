//! The effects of instructions on memory: which pointers an instruction keeps, and which memory it reads and writes.

use inkwell::llvm_sys::LLVMOpcode;

use crate::arguments::{ArgumentUse, argument_use};
use crate::calls::{Callee, callee};
use crate::ir::{Call, Class, Constant, Layout, Value, attribute_kind};
use crate::names::Names;

/// Memory that an instruction reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effect {
    /// The pointer to its first byte.
    pub(crate) pointer: Value,
    /// The length in bytes, if that is known; then a write writes all of it.
    pub(crate) length: Option<u64>,
    /// Whether the memory may be read.
    pub(crate) reads: bool,
    /// Whether the memory may be written.
    pub(crate) writes: bool,
}

/// The finder of instructions' effects.
pub(crate) struct Effects<'names> {
    names: &'names Names,
    layout: Layout,
    byval: u32,
    elementtype: u32,
}

impl<'names> Effects<'names> {
    /// Makes a finder for a module of this layout.
    pub(crate) fn new(names: &'names Names, layout: Layout) -> Self {
        Self { names, layout, byval: attribute_kind("byval"), elementtype: attribute_kind("elementtype") }
    }

    /// Returns the memory that an instruction reads and writes, whether or not it gets a hook.
    pub(crate) fn of(&self, instruction: Value) -> Vec<Effect> {
        let effect = |operand: u32, length, reads, writes| Effect {
            pointer: instruction.operand(operand),
            length,
            reads,
            writes,
        };
        let size = |value: Value| Some(self.layout.store_size(value.kind()));
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad) => vec![effect(0, size(instruction), true, false)],
            Some(LLVMOpcode::LLVMStore) => vec![effect(1, size(instruction.operand(0)), false, true)],
            Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => {
                vec![effect(0, size(instruction.operand(1)), true, true)]
            }
            Some(LLVMOpcode::LLVMVAArg) => vec![effect(0, None, true, true)],
            _ if instruction.is_call() => self.of_call(instruction),
            _ => Vec::new(),
        }
    }

    /// Returns the memory that a call reads and writes through its pointer arguments.
    fn of_call(&self, call: Value) -> Vec<Effect> {
        let memory = match callee(call, self.names) {
            Callee::Memory(copies) => Some(copies),
            _ => None,
        };
        let length =
            (memory.is_some() && call.operand(2).is(Class::ConstantInt)).then(|| Constant(call.operand(2)).unsigned());
        Call(call)
            .arguments()
            .filter(|(_, argument)| argument.kind().is_pointer())
            .filter_map(|(index, pointer)| {
                let copied = memory.is_some();
                match self.argument(call, index) {
                    ArgumentUse::Ignored => None,
                    ArgumentUse::Read => Some(Effect { pointer, length, reads: true, writes: false }),
                    ArgumentUse::Written | ArgumentUse::Kept => {
                        Some(Effect { pointer, length, reads: !copied, writes: true })
                    }
                }
            })
            .collect()
    }

    /// Returns the use that a call makes of a pointer argument.
    pub(crate) fn argument(&self, call: Value, index: u32) -> ArgumentUse {
        argument_use(call, index, self.names, self.byval, self.elementtype)
    }

    /// Returns the pointers that an instruction may keep or hand on, so that others may come to know them.
    pub(crate) fn kept(&self, instruction: Value) -> Vec<Value> {
        match instruction.opcode() {
            None
            | Some(
                LLVMOpcode::LLVMLoad
                | LLVMOpcode::LLVMVAArg
                | LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMPHI
                | LLVMOpcode::LLVMSelect
                | LLVMOpcode::LLVMFreeze
                | LLVMOpcode::LLVMICmp,
            ) => Vec::new(),
            Some(LLVMOpcode::LLVMStore) => vec![instruction.operand(0)],
            Some(LLVMOpcode::LLVMAtomicRMW) => vec![instruction.operand(1)],
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => vec![instruction.operand(1), instruction.operand(2)],
            _ if instruction.is_call() => Call(instruction)
                .arguments()
                .filter(|(_, argument)| argument.kind().holds_pointers())
                .filter(|&(index, _)| self.argument(instruction, index) == ArgumentUse::Kept)
                .map(|(_, argument)| argument)
                .collect(),
            _ => instruction.operands().collect(),
        }
        .into_iter()
        .filter(|value| value.kind().holds_pointers())
        .collect()
    }
}
