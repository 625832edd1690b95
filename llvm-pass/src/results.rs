//! Functions that hand results to local variables of their callers, through their parameters, in each round of a loop
//! (`static void read_pair(int *a, int *b)`, with the wait in it or around its calls). Out of line such a function makes these
//! variables memory that others might know. A round of the loop would then have an effect, and never count as one without.

use std::collections::HashSet;

use crate::cfg::FlowGraph;
use crate::effects::Effects;
use crate::ir::{Block, Call, Class, Function, Instruction, Layout, Value};
use crate::names::Names;
use crate::objects::{Object, Objects};
use crate::prepare::hidden_name;

use inkwell::llvm_sys::LLVMOpcode;

/// The most instructions of such a function, as its body is copied to each of its calls.
const MOST_INSTRUCTIONS: usize = 300;

/// The recogniser of such functions.
pub(crate) struct Results<'names> {
    effects: Effects<'names>,
    objects: Objects<'names>,
}

/// The parameters that a function uses, by their positions.
#[derive(Default)]
struct Uses {
    written: HashSet<u32>,
    written_in_loops: HashSet<u32>,
    kept: HashSet<u32>,
}

impl<'names> Results<'names> {
    /// Makes a recogniser for a module of this layout, for as long as no pointer of the module becomes another one.
    pub(crate) fn new(names: &'names Names, layout: Layout) -> Self {
        Self { effects: Effects::new(names, layout), objects: Objects::new(names, layout) }
    }

    /// Whether a function hands results to local variables of one of these callers in a loop, its own or one around the call,
    /// and these variables are known nowhere else by what it does.
    pub(crate) fn are_handed_in_loops(&self, function: Value, calls: &[Value]) -> bool {
        let is_small = || Function(function).instructions().len() <= MOST_INSTRUCTIONS;
        if calls.is_empty() || !is_small() {
            return false;
        }
        let uses = self.uses(function);
        let handed: Vec<u32> = uses.written.difference(&uses.kept).copied().collect();
        calls.iter().any(|&call| {
            let arguments = Call(call).arguments().filter(|(position, _)| handed.contains(position));
            let locals: Vec<u32> =
                arguments.filter(|(_, pointer)| self.is_of_frames(*pointer)).map(|(position, _)| position).collect();
            locals.iter().any(|position| uses.written_in_loops.contains(position))
                || (!locals.is_empty() && blocks_in_loops(call.function()).contains(&call.block()))
        })
    }

    /// Whether a pointer points into local variables of its function, or is a parameter through which some caller hands on such
    /// a pointer.
    fn is_of_frames(&self, pointer: Value) -> bool {
        let (mut seen, mut open) = (HashSet::new(), vec![pointer]);
        while let Some(pointer) = open.pop() {
            if self.objects.all(pointer, |object| matches!(object, Object::Local(_))) {
                return true;
            }
            for parameter in parameters(pointer).into_iter().filter(|&one| seen.insert(one)) {
                open.extend(arguments_for(parameter));
            }
        }
        false
    }

    /// Returns the uses that a function makes of its parameters.
    fn uses(&self, function: Value) -> Uses {
        let all: Vec<Value> =
            (0..Function(function).parameter_count()).map(|position| Function(function).parameter(position)).collect();
        let position = |parameter: &Value| all.iter().zip(0..).find(|(one, _)| *one == parameter).map(|(_, at)| at);
        let positions = |pointer: Value| -> Vec<u32> { parameters(pointer).iter().filter_map(position).collect() };
        let in_loops = blocks_in_loops(function);
        let mut uses = Uses::default();
        for instruction in Function(function).instructions() {
            for written in self.written(instruction).into_iter().flat_map(positions) {
                uses.written.insert(written);
                if in_loops.contains(&instruction.block()) {
                    uses.written_in_loops.insert(written);
                }
            }
            if hidden_name(instruction).is_none() {
                uses.kept.extend(self.effects.kept(instruction).into_iter().flat_map(positions));
            }
        }
        uses
    }

    /// Returns the pointers to memory that an instruction writes.
    fn written(&self, instruction: Value) -> Vec<Value> {
        if hidden_name(instruction).is_some() {
            return vec![instruction.operand(0)];
        }
        let effects = self.effects.of(instruction).into_iter();
        effects.filter(|effect| effect.writes).map(|effect| effect.pointer).collect()
    }
}

/// Returns what the calls of a parameter's function hand on to it.
fn arguments_for(parameter: Value) -> Vec<Value> {
    let function = Function::of_argument(parameter);
    let is_handed = |&(position, _): &(u32, Value)| {
        position < function.parameter_count() && function.parameter(position) == parameter
    };
    let calls = function.0.users().into_iter().filter(|&user| user.is_call() && Call(user).callee() == function.0);
    calls.filter_map(|call| Call(call).arguments().find(is_handed).map(|(_, argument)| argument)).collect()
}

/// Returns the blocks of a function that are in loops.
fn blocks_in_loops(function: Value) -> HashSet<Block> {
    let graph = FlowGraph::of(function);
    graph.loops().iter().flat_map(|found| &found.body).map(|&block| graph.blocks[block]).collect()
}

/// Returns the parameters that a pointer is counted from, if it is from nothing else.
pub(crate) fn parameters(pointer: Value) -> Vec<Value> {
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let mut open = vec![pointer];
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match value.opcode() {
            _ if value.is(Class::Argument) => found.push(value),
            _ if value.is(Class::NullPointer) || value.is(Class::Undefined) => {}
            Some(
                LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMFreeze,
            ) => open.push(value.operand(0)),
            Some(LLVMOpcode::LLVMSelect) => open.extend([value.operand(2), value.operand(1)]),
            Some(LLVMOpcode::LLVMPHI) => open.extend(Instruction(value).incoming().map(|(incoming, _)| incoming)),
            _ => return Vec::new(),
        }
    }
    found
}
