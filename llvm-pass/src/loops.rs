//! The decision which loops get a hook, and what the runtime is told of their state at each visit of the header.
//!
//! The state of a loop at its header is: the header's phis; private memory that the loop writes natively; and shared
//! memory, of which the runtime knows. Values from outside the loop do not change; values made inside it reach the
//! header through phis alone, if it dominates the body: else there is no hook. The runtime compares the
//! state with that of earlier visits.
//!
//! Private variables of up to [`LARGEST`] bytes are part of what the runtime is told, with the bytes that may still be read
//! ([`Liveness`]). For other private memory (large or variable-length arrays, a `va_list`), a flag notes before each store
//! whether it changes something.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::LLVMOpcode;

use crate::accesses::{Action, Hook};
use crate::assembly::Assembly;
use crate::calls::{Callee, callee};
use crate::cfg::{FlowGraph, Loop};
use crate::effects::{Effect, Effects};
use crate::escape::Privacy;
use crate::ir::{Block, Call, Class, Constant, Function, Global, Instruction, Layout, Value};
use crate::liveness::{Bytes, Liveness};
use crate::names::Names;
use crate::objects::LARGEST;
use crate::sites::{Places, Site};

/// A loop that gets a hook.
#[derive(Clone, Debug)]
pub(crate) struct HookedLoop {
    pub(crate) header: Block,
    /// The ends of the edges into the header, once for each edge, and for each whether it is a back edge.
    pub(crate) edges: Vec<(Block, bool)>,
    pub(crate) watched: Vec<ComparedVariable>,
    /// Whether there are stores that set the loop's flag.
    pub(crate) flagged: bool,
    pub(crate) site: Site,
}

/// A loop that never ends once it is entered, and does nothing that could be seen.
#[derive(Clone, Debug)]
pub(crate) struct EndlessLoop {
    pub(crate) header: Block,
    pub(crate) site: Site,
}

/// A private variable that is compared.
#[derive(Clone, Debug)]
pub(crate) struct ComparedVariable {
    pub(crate) variable: Value,
    pub(crate) size: u64,
    pub(crate) bytes: Bytes,
}

/// A write of private memory that sets flags of loops (by their positions).
#[derive(Clone, Debug)]
pub(crate) struct FlaggedWrite {
    pub(crate) instruction: Value,
    pub(crate) loops: Vec<usize>,
}

/// The loops of a function that get hooks, and what the hooks are told.
#[derive(Clone, Default, Debug)]
pub(crate) struct LoopPlan {
    pub(crate) loops: Vec<HookedLoop>,
    pub(crate) endless: Vec<EndlessLoop>,
    pub(crate) writes: Vec<FlaggedWrite>,
}

/// The decider for the loops of functions; the fields are what the decisions rest on.
pub(crate) struct Loops<'a> {
    pub(crate) names: &'a Names,
    pub(crate) layout: Layout,
    pub(crate) privacy: &'a Privacy<'a>,
    pub(crate) effects: &'a Effects<'a>,
    pub(crate) places: &'a Places,
    /// The functions that do nothing visible.
    pub(crate) quiet: &'a HashSet<Value>,
    /// The thread-local variables of the module that are private and written somewhere.
    pub(crate) thread_locals: Vec<Value>,
}

/// The private memory that an instruction writes natively.
struct NativeWrite {
    instruction: Value,
    variables: Vec<Value>,
    /// Whether it writes memory that cannot be watched.
    unwatched: bool,
}

impl<'a> Loops<'a> {
    /// Returns the private thread-local variables that some function writes.
    pub(crate) fn written_thread_locals(functions: &[Value], privacy: &Privacy, effects: &Effects) -> Vec<Value> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for instruction in functions.iter().flat_map(|&function| Function(function).instructions()) {
            for pointer in native_writes(&effects.of(instruction), privacy) {
                for variable in privacy.variables(pointer).unwrap_or_default() {
                    if variable.is(Class::GlobalVariable) && seen.insert(variable) {
                        found.push(variable);
                    }
                }
            }
        }
        found
    }

    /// Decides for the loops of a function, whose other hooks are known.
    pub(crate) fn of(&self, function: Value, hooks: &[Hook]) -> LoopPlan {
        let graph = FlowGraph::of(function);
        let loops = graph.loops();
        if loops.is_empty() {
            return LoopPlan::default();
        }
        let hooked: HashSet<Value> = hooks.iter().map(|hook| hook.instruction).collect();
        let instructions: Vec<Vec<Value>> = graph.blocks.iter().map(|block| block.instructions()).collect();
        let active: Vec<bool> = instructions
            .iter()
            .map(|block| block.iter().any(|one| hooked.contains(one) || self.is_visible_call(*one)))
            .collect();
        let writes = self.native_writes(&instructions);
        let is_hooked = |found: &&Loop| found.reducible && found.body.iter().any(|&block| active[block]);
        let inside =
            |found: &Loop| -> Vec<&NativeWrite> { found.body.iter().flat_map(|&block| &writes[block]).collect() };
        let plans: Vec<(&Loop, Vec<&NativeWrite>)> =
            loops.iter().filter(is_hooked).map(|found| (found, inside(found))).collect();
        let liveness = Liveness::of(&graph, &headers(&plans), self.effects, self.privacy, self.layout);
        let mut plan = LoopPlan::default();
        for (found, inside) in &plans {
            let calls = found.body.iter().any(|&block| instructions[block].iter().any(|&one| self.calls_back(one)));
            plan.loops.push(HookedLoop {
                header: graph.blocks[found.header],
                edges: graph
                    .predecessors(found.header)
                    .iter()
                    .map(|&from| (graph.blocks[from], found.sources.contains(&from)))
                    .collect(),
                watched: self.watched(found.header, inside, calls, &liveness),
                flagged: inside.iter().any(|write| write.unwatched),
                site: self.site(&graph, found, &instructions),
            });
        }
        for found in loops.iter().filter(|found| self.is_endless(&graph, found, &instructions)) {
            let site = self.site(&graph, found, &instructions);
            plan.endless.push(EndlessLoop { header: graph.blocks[found.header], site });
        }
        plan.writes = flagged_writes(&writes, plans.iter().map(|(found, _)| *found));
        plan
    }

    /// Whether a loop has no exit, and nothing in it could be seen, fault or end the thread: it computes in registers.
    fn is_endless(&self, graph: &FlowGraph, found: &Loop, instructions: &[Vec<Value>]) -> bool {
        found.body.iter().all(|&block| {
            taken(graph, block, instructions).iter().all(|next| found.body.contains(next))
                && instructions[block].iter().all(|&one| self.only_computes(one))
        })
    }

    /// Whether an instruction does nothing but compute in registers, and cannot fault.
    fn only_computes(&self, instruction: Value) -> bool {
        use LLVMOpcode::{
            LLVMAShr, LLVMAdd, LLVMAnd, LLVMBitCast, LLVMBr, LLVMExtractValue, LLVMFAdd, LLVMFCmp, LLVMFDiv, LLVMFMul,
            LLVMFNeg, LLVMFPExt, LLVMFPToSI, LLVMFPToUI, LLVMFPTrunc, LLVMFSub, LLVMFreeze, LLVMGetElementPtr,
            LLVMICmp, LLVMInsertValue, LLVMIntToPtr, LLVMLShr, LLVMMul, LLVMOr, LLVMPHI, LLVMPtrToInt, LLVMSExt,
            LLVMSIToFP, LLVMSelect, LLVMShl, LLVMSub, LLVMSwitch, LLVMTrunc, LLVMUIToFP, LLVMXor, LLVMZExt,
        };
        if instruction.is_call() {
            return match callee(instruction, self.names) {
                Callee::Intrinsic(name) => {
                    name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.") || name == "llvm.x86.sse2.pause"
                }
                Callee::Assembly(meaning) => meaning == Assembly::Nothing,
                _ => false,
            };
        }
        matches!(
            instruction.opcode(),
            Some(
                LLVMAdd
                    | LLVMAnd
                    | LLVMAShr
                    | LLVMBitCast
                    | LLVMBr
                    | LLVMExtractValue
                    | LLVMFAdd
                    | LLVMFCmp
                    | LLVMFDiv
                    | LLVMFMul
                    | LLVMFNeg
                    | LLVMFPExt
                    | LLVMFPToSI
                    | LLVMFPToUI
                    | LLVMFPTrunc
                    | LLVMFSub
                    | LLVMFreeze
                    | LLVMGetElementPtr
                    | LLVMICmp
                    | LLVMInsertValue
                    | LLVMIntToPtr
                    | LLVMLShr
                    | LLVMMul
                    | LLVMOr
                    | LLVMPHI
                    | LLVMPtrToInt
                    | LLVMSExt
                    | LLVMSIToFP
                    | LLVMSelect
                    | LLVMShl
                    | LLVMSub
                    | LLVMSwitch
                    | LLVMTrunc
                    | LLVMUIToFP
                    | LLVMXor
                    | LLVMZExt
            )
        )
    }

    /// Whether an instruction calls something that may do more than compute and is not known to do nothing visible.
    fn is_visible_call(&self, instruction: Value) -> bool {
        is_true_call(instruction, self.names) && !self.quiet.contains(&Call(instruction).callee())
    }

    /// Whether an instruction may call functions of this file.
    fn calls_back(&self, instruction: Value) -> bool {
        is_true_call(instruction, self.names)
            && match callee(instruction, self.names) {
                Callee::Modelled(name) => matches!(name.as_str(), "qsort" | "qsort_r" | "bsearch"),
                Callee::External(name) => !self.names.is_harmless(&name),
                _ => true,
            }
    }

    /// Returns the native writes of private memory in each block.
    fn native_writes(&self, instructions: &[Vec<Value>]) -> Vec<Vec<NativeWrite>> {
        instructions.iter().map(|all| all.iter().filter_map(|&one| self.native_write(one)).collect()).collect()
    }

    /// Returns the private memory that an instruction writes natively, if it writes any.
    fn native_write(&self, instruction: Value) -> Option<NativeWrite> {
        let mut write = NativeWrite { instruction, variables: Vec::new(), unwatched: false };
        for pointer in native_writes(&self.effects.of(instruction), self.privacy) {
            match self.privacy.variables(pointer) {
                None => write.unwatched = true,
                Some(variables) => {
                    write.unwatched |= variables.iter().any(|&variable| self.size(variable).is_none());
                    write.variables.extend(variables.iter().filter(|&&one| self.size(one).is_some()));
                }
            }
        }
        (write.unwatched || !write.variables.is_empty()).then_some(write)
    }

    /// Returns the size in bytes of a variable that can be watched: one that stays in one place for all of the function's time,
    /// and is not too large.
    fn size(&self, variable: Value) -> Option<u64> {
        let kind = if variable.is(Class::Alloca) {
            let fixed = variable.operand(0).is(Class::ConstantInt) && Constant(variable.operand(0)).unsigned() == 1;
            let in_entry = Function(variable.function()).entry() == Some(variable.block());
            (fixed && in_entry).then(|| Instruction(variable).allocated_type())?
        } else if variable.is(Class::GlobalVariable) {
            Global(variable).value_type()
        } else {
            let function = Function::of_argument(variable);
            let byval = crate::ir::attribute_kind("byval");
            let position = (0..function.parameter_count()).find(|&index| function.parameter(index) == variable)?;
            function.parameter_type_attribute(position, byval)?
        };
        Some(self.layout.store_size(kind)).filter(|&size| size <= LARGEST)
    }

    /// Returns the variables that a loop compares.
    fn watched(
        &self,
        header: usize,
        writes: &[&NativeWrite],
        calls: bool,
        liveness: &Liveness,
    ) -> Vec<ComparedVariable> {
        let called: &[Value] = if calls { &self.thread_locals } else { &[] };
        let mut seen = HashSet::new();
        let variables = writes.iter().flat_map(|write| &write.variables).chain(called).copied();
        variables
            .filter(|&variable| seen.insert(variable))
            .filter_map(|variable| {
                let size = self.size(variable)?;
                let bytes = if variable.is(Class::GlobalVariable) {
                    Bytes::range(0, size)
                } else {
                    liveness.at(header, variable)
                };
                (bytes != Bytes::default()).then_some(ComparedVariable { variable, size, bytes })
            })
            .collect()
    }

    /// Returns the site of a loop: the first instruction from the header on. Blocks that only lead to another are passed over:
    /// whether clang makes them depends on the optimisation level.
    fn site(&self, graph: &FlowGraph, found: &Loop, instructions: &[Vec<Value>]) -> Site {
        let mut block = found.header;
        for _ in 0..graph.blocks.len() {
            let first = instructions[block].iter().find(|one| !one.is(Class::Phi));
            match (first.map(|one| one.opcode()), graph.successors(block)) {
                (Some(Some(LLVMOpcode::LLVMBr)), &[next]) => block = next,
                _ => break,
            }
        }
        // The block from which computed gotos jump has no place of its own.
        let ends = found.sources.iter().filter_map(|&source| instructions[source].last());
        let mut places = instructions[block].iter().chain(ends).copied();
        let told =
            places.find(|one| !one.is(Class::Phi) && one.location().is_some_and(|location| location.line() != 0));
        self.places.site(told.unwrap_or(instructions[block][instructions[block].len() - 1]), None)
    }
}

/// Returns the headers of the loops that write each local variable.
fn headers(loops: &[(&Loop, Vec<&NativeWrite>)]) -> HashMap<Value, Vec<usize>> {
    let mut headers: HashMap<Value, Vec<usize>> = HashMap::new();
    for (found, inside) in loops {
        for &variable in inside.iter().flat_map(|write| &write.variables).filter(|one| !one.is(Class::GlobalVariable)) {
            let headers = headers.entry(variable).or_default();
            if headers.last() != Some(&found.header) {
                headers.push(found.header);
            }
        }
    }
    headers
}

/// Returns the writes in each block that set flags of the loops around it.
fn flagged_writes<'a>(writes: &[Vec<NativeWrite>], loops: impl Iterator<Item = &'a Loop>) -> Vec<FlaggedWrite> {
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); writes.len()];
    for (number, found) in loops.enumerate() {
        found.body.iter().for_each(|&block| around[block].push(number));
    }
    let in_loops = writes.iter().zip(&around).filter(|(_, loops)| !loops.is_empty());
    let unwatched = in_loops
        .flat_map(|(writes, loops)| writes.iter().filter(|write| write.unwatched).map(move |write| (write, loops)));
    unwatched.map(|(write, loops)| FlaggedWrite { instruction: write.instruction, loops: loops.clone() }).collect()
}

/// Returns the blocks that a block goes to, once for each edge; a branch on a constant goes one way, as that of `do {} while
/// (1)`.
fn taken<'a>(graph: &'a FlowGraph, block: usize, instructions: &[Vec<Value>]) -> &'a [usize] {
    let all = graph.successors(block);
    let condition = instructions[block].last().filter(|one| one.opcode() == Some(LLVMOpcode::LLVMBr));
    match (all, condition.map(|branch| branch.operand(0))) {
        ([_, _], Some(condition)) if condition.is(Class::ConstantInt) => {
            let way = usize::from(Constant(condition).unsigned() == 0);
            &all[way..=way]
        }
        _ => all,
    }
}

/// Whether an instruction calls something that may do more than compute.
fn is_true_call(instruction: Value, names: &Names) -> bool {
    instruction.is_call()
        && match callee(instruction, names) {
            Callee::Intrinsic(_) | Callee::Memory(_) | Callee::Library => false,
            Callee::Assembly(meaning) => matches!(meaning, Assembly::Unknown(_)),
            _ => true,
        }
}

/// Returns those of the functions that do nothing visible: they have no hooks, and call only such functions. By this a loop that
/// only counts and calls a function of empty assembly, as back-off is written, is no wait loop.
pub(crate) fn quiet(functions: &[(Value, Vec<Hook>)], names: &Names) -> HashSet<Value> {
    let body_is_final = |function: Value| {
        use inkwell::llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};
        matches!(Global(function).linkage(), LLVMExternalLinkage | LLVMInternalLinkage)
    };
    let calls = |function: Value| {
        Function(function).instructions().into_iter().filter(|&one| is_true_call(one, names)).collect()
    };
    let has_none = |hooks: &[Hook]| hooks.iter().all(|hook| matches!(hook.action, Action::Drop));
    let unhooked = functions.iter().filter(|(function, hooks)| has_none(hooks) && body_is_final(*function));
    let calls: Vec<(Value, Vec<Value>)> = unhooked.map(|&(function, _)| (function, calls(function))).collect();
    let mut quiet: HashSet<Value> = calls.iter().map(|&(function, _)| function).collect();
    let mut callers: HashMap<Value, Vec<Value>> = HashMap::new();
    for (function, callee) in
        calls.iter().flat_map(|(function, all)| all.iter().map(|call| (*function, Call(*call).callee())))
    {
        callers.entry(callee).or_default().push(function);
    }
    // Those that call what is not quiet are not, nor are those that call them.
    let mut loud: Vec<Value> = callers.keys().copied().filter(|callee| !quiet.contains(callee)).collect();
    while let Some(callee) = loud.pop() {
        let callers = callers.get(&callee).into_iter().flatten();
        loud.extend(callers.filter(|caller| quiet.remove(caller)));
    }
    quiet
}

/// Returns the native writes among these effects of an instruction.
fn native_writes(effects: &[Effect], privacy: &Privacy) -> Vec<Value> {
    effects
        .iter()
        .filter(|effect| effect.writes && privacy.is_native(effect.pointer))
        .map(|effect| effect.pointer)
        .collect()
}
