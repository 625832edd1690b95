//! The check whether a module is *transaction-fenced* (001-enea-tacas16, theorem 3; docs/monitors.md, section 6.7). It is known
//! to be if on every path
//! - no store may still wait in the buffer when a transaction ends, or when one begins;
//! - none does when something is read outside of transactions.
//!
//! So each two operations of a thread that are not in the same transaction, and of which TSO could swap the order, have
//! a full fence between them. A file of which this is not known says so ([`crate::externals`]): a program is known to
//! be fenced if no file does.
//!
//! The analysis follows how many transactions of a thread are open, and whether stores may wait. A function is followed from each
//! such [`FencingPosition`] from which this file calls it. Functions of other files, and those called through pointers, are
//! called outside of transactions and with an empty buffer alone, and may leave stores waiting: every file keeps to this, or says
//! that it is not known to be fenced.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind};

use crate::accesses::{Action, Hook};
use crate::calls::{Callee, SEQ_CST, callee};
use crate::cfg::FlowGraph;
use crate::escape::Privacy;
use crate::ir::{self, Block, Call, Class, Global, Value};
use crate::names::{Names, OnStoreBuffer};

/// The state of a thread's transactions and of its store buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct FencingPosition {
    /// The number of transactions that are open.
    depth: u8,
    /// Whether stores may wait in the buffer.
    waiting: bool,
}

/// The depth of nested transactions beyond which nothing is known.
const DEEPEST: u8 = 8;

/// The position outside of all transactions, with nothing in the buffer.
const OUTSIDE: FencingPosition = FencingPosition { depth: 0, waiting: false };

type Positions = BTreeSet<FencingPosition>;

/// The effect of an instruction on the position of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FencingStep {
    Load,
    Store,
    /// A full fence, or what empties the buffer like one.
    Drain,
    /// A store if it is reached at all.
    MayStore,
    Begin,
    End,
    /// A call of the function with this number.
    Call(usize),
    /// A call of a function elsewhere.
    Foreign,
    /// Something that may run code which is not followed, or go on elsewhere.
    Lost,
}

/// The error that the module is not known to be fenced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Unproved;

impl FencingStep {
    /// Returns the position after the step, if it calls nothing.
    fn on(self, position: FencingPosition) -> Result<FencingPosition, Unproved> {
        let FencingPosition { depth, waiting } = position;
        let outside_and_waiting = depth == 0 && waiting;
        match self {
            Self::Load | Self::Begin if outside_and_waiting => Err(Unproved),
            Self::Load => Ok(position),
            Self::Store | Self::MayStore => Ok(FencingPosition { depth, waiting: true }),
            Self::Drain => Ok(FencingPosition { depth, waiting: false }),
            Self::Begin if depth == DEEPEST => Err(Unproved),
            Self::Begin => Ok(FencingPosition { depth: depth + 1, waiting }),
            Self::End if depth == 0 || (depth == 1 && waiting) => Err(Unproved),
            Self::End => Ok(FencingPosition { depth: depth - 1, waiting }),
            Self::Foreign if position != OUTSIDE => Err(Unproved),
            Self::Foreign => Ok(FencingPosition { waiting: true, ..OUTSIDE }),
            Self::Call(_) | Self::Lost => Err(Unproved),
        }
    }
}

/// The control flow of a function, with the steps of its blocks.
struct FencingBody {
    graph: FlowGraph,
    /// The steps of each block, in order.
    steps: Vec<Vec<FencingStep>>,
    /// The blocks that return.
    returns: Vec<usize>,
    /// Whether all of the function is one transaction.
    is_transaction: bool,
}

/// What is known of the functions of a module.
struct Fencing {
    functions: Vec<FencingBody>,
    /// The positions in which each function returns, by the position in which it is called.
    exits: BTreeMap<(usize, FencingPosition), Positions>,
}

/// Whether the module is known to be fenced.
pub(crate) fn is_fenced(
    module: LLVMModuleRef,
    hooked: &[(Value, Vec<Hook>)],
    transactions: &[Value],
    names: &Names,
    privacy: &Privacy<'_>,
) -> bool {
    // Code that runs before `main` and behind it is not followed.
    let runs_beside = |global: &Value| ["llvm.global_ctors", "llvm.global_dtors"].contains(&global.name().as_str());
    if ir::globals(module).iter().any(runs_beside) || may_make_other_mutexes(module) {
        return false;
    }
    let numbers: HashMap<Value, usize> = hooked.iter().map(|&(function, _)| function).zip(0..).collect();
    let steps = Steps { numbers: &numbers, names, privacy };
    let function =
        |(function, hooks): &(Value, Vec<Hook>)| steps.of_function(*function, hooks, transactions.contains(function));
    let mut fencing = Fencing { functions: hooked.iter().map(function).collect(), exits: BTreeMap::new() };
    let roots = hooked.iter().zip(0..).filter(|((function, _), _)| is_called_elsewhere(*function));
    fencing.prove(roots.map(|(_, number)| number)).is_ok()
}

/// Whether the file may make a mutex that is not a normal one. Locking a recursive mutex once more drains nothing, so all files
/// rely on there being none.
fn may_make_other_mutexes(module: LLVMModuleRef) -> bool {
    let of_type = |user: &Value| user.is_call() && user.operand(1) == user.operand(1).kind().zero();
    let makes = |function: &Value| match function.name().trim_start_matches("__fh_") {
        "pthread_mutexattr_settype" | "pthread_mutexattr_setrobust" => !function.users().is_empty(),
        "mtx_init" => !function.users().iter().all(of_type),
        _ => false,
    };
    let initializers = ir::globals(module).into_iter().filter_map(|global| Global(global).initializer());
    ir::functions(module).iter().any(makes) || initializers.into_iter().any(holds_another_mutex)
}

/// Whether a constant is or holds a mutex that is not all zeros, as a normal one is.
fn holds_another_mutex(constant: Value) -> bool {
    let kind = constant.kind();
    // The operands of other constants are no parts of them: a pointer's may be the whole variable that it points to.
    let is_whole = matches!(kind.kind(), LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind);
    let is_mutex = kind.struct_name().is_some_and(|name| name.starts_with("struct.__pthread_mutex_s"));
    is_whole && constant.operand_count() > 0 && (is_mutex || constant.operands().any(holds_another_mutex))
}

/// Whether the function may be called from another file, or through a pointer.
fn is_called_elsewhere(function: Value) -> bool {
    let is_local =
        matches!(Global(function).linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage);
    let is_call = |user: &Value| {
        user.is_call()
            && Call(*user).callee() == function
            && Call(*user).arguments().all(|(_, argument)| argument != function)
    };
    !is_local || !function.users().iter().all(is_call)
}

impl Fencing {
    fn prove(&mut self, roots: impl Iterator<Item = usize>) -> Result<(), Unproved> {
        let roots: Vec<usize> = roots.collect();
        for &root in &roots {
            self.exits.insert((root, OUTSIDE), Positions::new());
        }
        loop {
            let before = self.exits.clone();
            for &(function, entry) in before.keys() {
                let exits = self.follow(function, entry)?;
                self.exits.insert((function, entry), exits);
            }
            if self.exits == before {
                break;
            }
        }
        let is_closed = |root: &usize| self.exits[&(*root, OUTSIDE)].iter().all(|exit| exit.depth == 0);
        if roots.iter().all(is_closed) { Ok(()) } else { Err(Unproved) }
    }

    /// Returns the positions in which the function returns when it is called in `entry`, as far as that is known of its callees.
    fn follow(&mut self, function: usize, entry: FencingPosition) -> Result<Positions, Unproved> {
        let blocks = self.functions[function].graph.blocks.len();
        let is_transaction = self.functions[function].is_transaction;
        let entry = if is_transaction { FencingStep::Begin.on(entry)? } else { entry };
        let mut at: Vec<Positions> = vec![Positions::new(); blocks];
        at[0].insert(entry);
        let mut unfinished = vec![0];
        let mut exits = Positions::new();
        while let Some(block) = unfinished.pop() {
            let mut positions = at[block].clone();
            for index in 0..self.functions[function].steps[block].len() {
                positions = self.apply(self.functions[function].steps[block][index], &positions)?;
            }
            let FencingBody { graph, returns, .. } = &self.functions[function];
            if returns.contains(&block) {
                let end = |&position: &FencingPosition| {
                    if is_transaction { FencingStep::End.on(position) } else { Ok(position) }
                };
                exits.extend(positions.iter().map(end).collect::<Result<Positions, Unproved>>()?);
            }
            for &next in graph.successors(block) {
                let known = at[next].len();
                at[next].extend(&positions);
                if at[next].len() > known {
                    unfinished.push(next);
                }
            }
        }
        Ok(exits)
    }

    fn apply(&mut self, step: FencingStep, positions: &Positions) -> Result<Positions, Unproved> {
        if let FencingStep::Call(function) = step {
            let exits = |&position: &FencingPosition| self.exits.entry((function, position)).or_default().clone();
            return Ok(positions.iter().flat_map(exits).collect());
        }
        let mut after: Positions = positions.iter().map(|&position| step.on(position)).collect::<Result<_, _>>()?;
        if step == FencingStep::MayStore {
            after.extend(positions);
        }
        Ok(after)
    }
}

/// The finder of the steps of instructions.
struct Steps<'a> {
    numbers: &'a HashMap<Value, usize>,
    names: &'a Names,
    privacy: &'a Privacy<'a>,
}

impl Steps<'_> {
    fn of_function(&self, function: Value, hooks: &[Hook], is_transaction: bool) -> FencingBody {
        let graph = FlowGraph::of(function);
        let mut by_instruction: HashMap<Value, Vec<FencingStep>> = HashMap::new();
        for hook in hooks {
            by_instruction.entry(hook.instruction).or_default().extend(Self::of_action(&hook.action));
        }
        let of_instruction = |instruction: Value| {
            let hooks = by_instruction.get(&instruction).cloned().unwrap_or_default();
            let call = if instruction.is_call() { self.of_call(instruction) } else { Vec::new() };
            [hooks, call].concat()
        };
        let of_block = |block: &Block| block.instructions().into_iter().flat_map(of_instruction).collect();
        let steps: Vec<Vec<FencingStep>> = graph.blocks.iter().map(of_block).collect();
        let returns = |block: &usize| {
            let end = graph.blocks[*block].terminator();
            end.is_some_and(|end| end.opcode() == Some(LLVMOpcode::LLVMRet))
        };
        let returns = (0..graph.blocks.len()).filter(returns).collect();
        FencingBody { graph, steps, returns, is_transaction }
    }

    /// Returns the steps of a hook's action.
    fn of_action(action: &Action) -> Vec<FencingStep> {
        match action {
            Action::Load | Action::AtomicLoad(_) | Action::PassByValue(..) => vec![FencingStep::Load],
            Action::AtomicStore(SEQ_CST) => vec![FencingStep::Store, FencingStep::Drain],
            Action::Store | Action::AtomicStore(_) | Action::Fill => vec![FencingStep::Store],
            Action::ReadModifyWrite(..)
            | Action::CompareExchange(_)
            | Action::Fence(SEQ_CST)
            | Action::FenceBefore(SEQ_CST) => vec![FencingStep::Drain],
            Action::Lift { .. } | Action::Library { .. } | Action::Copy { .. } => {
                vec![FencingStep::Load, FencingStep::Store]
            }
            Action::SetJump { .. } => vec![FencingStep::Lost],
            // Under TSO other fences are nothing. What is refused is not executed, and calls are looked at below.
            Action::Fence(_)
            | Action::FenceBefore(_)
            | Action::Refuse(_)
            | Action::StoreSite
            | Action::Announce { .. } => Vec::new(),
        }
    }

    /// Returns the steps of a call beside those of its hooks.
    fn of_call(&self, call: Value) -> Vec<FencingStep> {
        match callee(call, self.names) {
            Callee::Own => match self.numbers.get(&Call(call).callee()) {
                Some(&number) if !is_replaceable(Call(call).callee()) => vec![FencingStep::Call(number)],
                _ => vec![FencingStep::Foreign],
            },
            Callee::External(name) if self.names.is_harmless(&name) => Vec::new(),
            Callee::External(_) | Callee::Indirect => vec![FencingStep::Foreign],
            Callee::Modelled(name) => self.of_modelled(call, &name),
            // Their hooks say what these do.
            Callee::Assembly(_)
            | Callee::Intrinsic(_)
            | Callee::Memory(_)
            | Callee::AtomicLibrary(_)
            | Callee::Unsupported(_)
            | Callee::SetJump
            | Callee::SetJumpWithSignals
            | Callee::Library => Vec::new(),
        }
    }

    /// Returns the steps of a function that the runtime models (`store_buffer.txt`).
    fn of_modelled(&self, call: Value, name: &str) -> Vec<FencingStep> {
        let is_private = |argument: u32| self.privacy.is_native(call.operand(argument));
        match name {
            "fh_atomic_begin" => vec![FencingStep::Begin],
            "fh_atomic_end" => vec![FencingStep::End],
            // The name of the new thread is stored behind it.
            "pthread_create" | "thrd_create" if is_private(0) => vec![FencingStep::Drain],
            "pthread_create" | "thrd_create" => vec![FencingStep::Drain, FencingStep::Store],
            // A join that fails is no event.
            "pthread_join" | "thrd_join" if call.operand(1).is(Class::NullPointer) || is_private(1) => Vec::new(),
            "pthread_join" | "thrd_join" => vec![FencingStep::MayStore],
            _ if name.starts_with("__VERIFIER_nondet_") => Vec::new(),
            _ => match self.names.on_store_buffer(name) {
                OnStoreBuffer::Drains => vec![FencingStep::Drain],
                OnStoreBuffer::Stores => vec![FencingStep::Store],
                OnStoreBuffer::Nothing => Vec::new(),
                OnStoreBuffer::Leaves => vec![FencingStep::Lost],
                OnStoreBuffer::Unknown => vec![FencingStep::Load, FencingStep::MayStore],
            },
        }
    }
}

/// Whether a function of another file may take the place of this one when the program is linked.
fn is_replaceable(function: Value) -> bool {
    !matches!(
        Global(function).linkage(),
        LLVMLinkage::LLVMExternalLinkage | LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
    )
}
