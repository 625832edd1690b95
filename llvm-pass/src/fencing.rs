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

use std::collections::{BTreeSet, HashMap, HashSet};

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind};

use crate::accesses::{Action, Hook};
use crate::calls::{Callee, SEQ_CST, callee};
use crate::cfg::FlowGraph;
use crate::escape::Privacy;
use crate::ir::{self, Block, Call, Class, Global, Value};
use crate::names::{Names, OnStoreBuffer};

/// The state of a thread's transactions and of its store buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

/// A piece of a function's control flow: steps, and a call or a return behind them at most.
struct Segment {
    steps: Vec<FencingStep>,
    end: SegmentEnd,
    /// The segments that control may go to.
    next: Vec<usize>,
}

/// The end of a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SegmentEnd {
    /// The function with this number is called, and then control goes on.
    Call(usize),
    Return,
    GoesOn,
}

/// The control flow of a function, which begins with its first segment.
struct FencingBody {
    segments: Vec<Segment>,
    /// Whether all of the function is one transaction.
    is_transaction: bool,
}

/// A function and a position in which it is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Activation {
    function: usize,
    entry: FencingPosition,
}

/// A segment of an activation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Spot {
    activation: Activation,
    segment: usize,
}

/// What is known of the functions of a module. Each spot is gone through once in each position, so that the work grows with the
/// module.
struct Fencing {
    functions: Vec<FencingBody>,
    /// The positions in which each activation returns, and the calls that made it.
    activations: HashMap<Activation, (Positions, HashSet<Spot>)>,
    /// The positions in which each spot is reached.
    reached: HashSet<(Spot, FencingPosition)>,
    /// Those of them that are to be gone through.
    open: Vec<(Spot, FencingPosition)>,
}

/// Whether the module is known to be fenced.
pub(crate) fn is_fenced(
    module: LLVMModuleRef,
    hooked: &[(Value, Vec<Hook>)],
    transactions: &HashSet<Value>,
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
    let roots = hooked.iter().zip(0..).filter(|((function, _), _)| is_called_elsewhere(*function));
    Fencing::new(hooked.iter().map(function).collect()).prove(roots.map(|(_, number)| number)).is_ok()
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
    fn new(functions: Vec<FencingBody>) -> Self {
        Self { functions, activations: HashMap::new(), reached: HashSet::new(), open: Vec::new() }
    }

    fn prove(&mut self, roots: impl Iterator<Item = usize>) -> Result<(), Unproved> {
        let roots: Vec<Activation> = roots.map(|function| Activation { function, entry: OUTSIDE }).collect();
        for &root in &roots {
            self.enter(root)?;
        }
        while let Some((spot, position)) = self.open.pop() {
            self.go_through(spot, position)?;
        }
        let is_closed = |root: &Activation| self.activations[root].0.iter().all(|exit| exit.depth == 0);
        if roots.iter().all(is_closed) { Ok(()) } else { Err(Unproved) }
    }

    /// Begins an activation, unless it has begun before.
    fn enter(&mut self, activation: Activation) -> Result<(), Unproved> {
        if self.activations.contains_key(&activation) {
            return Ok(());
        }
        self.activations.insert(activation, (Positions::new(), HashSet::new()));
        let is_transaction = self.functions[activation.function].is_transaction;
        let begin = if is_transaction { FencingStep::Begin.on(activation.entry)? } else { activation.entry };
        self.reach(Spot { activation, segment: 0 }, begin);
        Ok(())
    }

    fn reach(&mut self, spot: Spot, position: FencingPosition) {
        if self.reached.insert((spot, position)) {
            self.open.push((spot, position));
        }
    }

    fn go_through(&mut self, spot: Spot, position: FencingPosition) -> Result<(), Unproved> {
        let segment = &self.functions[spot.activation.function].segments[spot.segment];
        let end = segment.end;
        let mut positions = Positions::from([position]);
        for &step in &segment.steps {
            let mut after: Positions = positions.iter().map(|&position| step.on(position)).collect::<Result<_, _>>()?;
            if step == FencingStep::MayStore {
                after.extend(positions);
            }
            positions = after;
        }
        for position in positions {
            match end {
                SegmentEnd::Call(function) => self.call(spot, Activation { function, entry: position })?,
                SegmentEnd::Return => self.leave(spot.activation, position)?,
                SegmentEnd::GoesOn => self.go_on(spot, position),
            }
        }
        Ok(())
    }

    /// Goes on behind a segment.
    fn go_on(&mut self, spot: Spot, position: FencingPosition) {
        for index in 0..self.functions[spot.activation.function].segments[spot.segment].next.len() {
            let segment = self.functions[spot.activation.function].segments[spot.segment].next[index];
            self.reach(Spot { segment, ..spot }, position);
        }
    }

    fn call(&mut self, spot: Spot, callee: Activation) -> Result<(), Unproved> {
        self.enter(callee)?;
        let Some((exits, callers)) = self.activations.get_mut(&callee) else { return Ok(()) };
        if callers.insert(spot) {
            exits.clone().into_iter().for_each(|exit| self.go_on(spot, exit));
        }
        Ok(())
    }

    fn leave(&mut self, activation: Activation, position: FencingPosition) -> Result<(), Unproved> {
        let is_transaction = self.functions[activation.function].is_transaction;
        let exit = if is_transaction { FencingStep::End.on(position)? } else { position };
        let Some((exits, callers)) = self.activations.get_mut(&activation) else { return Ok(()) };
        if exits.insert(exit) {
            callers.clone().into_iter().for_each(|caller| self.go_on(caller, exit));
        }
        Ok(())
    }
}

/// Returns the segments of a function: blocks, which end behind each call.
fn segments(graph: &FlowGraph, steps: &[Vec<FencingStep>]) -> Vec<Segment> {
    let calls = |steps: &Vec<FencingStep>| steps.iter().filter(|step| matches!(step, FencingStep::Call(_))).count();
    let mut begins = vec![0];
    for steps in steps {
        begins.push(begins[begins.len() - 1] + 1 + calls(steps));
    }
    let mut segments = Vec::new();
    for (block, steps) in steps.iter().enumerate() {
        let mut segment = Vec::new();
        for &step in steps {
            if let FencingStep::Call(function) = step {
                let next = vec![segments.len() + 1];
                let steps = std::mem::take(&mut segment);
                segments.push(Segment { steps, end: SegmentEnd::Call(function), next });
            } else {
                segment.push(step);
            }
        }
        let returns = graph.blocks[block].terminator().is_some_and(|end| end.opcode() == Some(LLVMOpcode::LLVMRet));
        let end = if returns { SegmentEnd::Return } else { SegmentEnd::GoesOn };
        let next = graph.successors(block).iter().map(|&next| begins[next]).collect();
        segments.push(Segment { steps: segment, end, next });
    }
    segments
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
        FencingBody { segments: segments(&graph, &steps), is_transaction }
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
            | Action::RefuseForeign(_)
            | Action::Drop
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
