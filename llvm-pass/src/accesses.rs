//! The decision which instructions get which hooks. Nothing is changed here: `emit.rs` carries the decisions out.

use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMOpcode, LLVMTypeKind};

use crate::abi;
use crate::assembly::constraints::Role;
use crate::assembly::instructions::Instruction;
use crate::assembly::{Assembly, AssemblyProgram, is_foreign};
use crate::atomic_library::LibraryFunction;
use crate::calls::{Callee, callee, fence_intrinsic, is_quiet_intrinsic, is_terminator, passes_control_elsewhere};
use crate::escape::Privacy;
use crate::ir::{self, Call, Class, Constant, InlineAssembly, Layout, Type, Value, attribute_kind, metadata_kind};
use crate::names::Names;
use crate::sites::{Places, Site};

/// The change that the pass makes to an instruction: it puts a hook in its place or before it, or refuses it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// A plain load becomes a hook.
    Load,
    /// A plain store becomes a hook.
    Store,
    /// An atomic load of a C11 order becomes a hook.
    AtomicLoad(u32),
    /// An atomic store of a C11 order becomes a hook.
    AtomicStore(u32),
    /// An atomic read-modify-write becomes a hook: operation, order.
    ReadModifyWrite(u32, u32),
    /// A compare-and-exchange becomes a hook. The number has its two orders and whether it is weak, as
    /// `__fh_atomic_cas` takes them.
    CompareExchange(u32),
    /// A fence of a number of the hook ABI becomes a hook, in place of the instruction or before it.
    Fence(u32),
    /// A fence becomes a hook before the instruction, which stays.
    FenceBefore(u32),
    /// Inline assembly becomes hooks and ordinary code. `shared` are the arguments that point to memory which others
    /// could see.
    Lift { program: AssemblyProgram, shared: Vec<u32> },
    /// A call of the atomic library becomes a hook. `shared` are the arguments that point to memory which others could
    /// see.
    Library { function: LibraryFunction, shared: Vec<u32> },
    /// A memcpy or memmove becomes a hook. Native is what no other thread could see.
    Copy { to_native: bool, from_native: bool },
    /// A memset becomes a hook.
    Fill,
    /// A struct that is passed by value is first copied from shared memory. Given are the argument's position and its
    /// type.
    PassByValue(u32, Type),
    /// The instruction is refused when it is reached. The text names it.
    Refuse(String),
    /// Inline assembly of another machine, which nobody could assemble, is refused and taken out. The text names it.
    RefuseForeign(String),
    /// Inline assembly of another machine that does nothing is taken out.
    Drop,
    /// The place of a call is stored before it, for the model of the function to find.
    StoreSite,
    /// The call is one of `setjmp`. The argument of this number, if there is one, says whether it keeps the blocked
    /// signals.
    SetJump { saves_mask: Option<u32> },
    /// The call of an external function is announced to the runtime. `pointers` are the positions of the arguments that
    /// may point to shared memory.
    Announce { name: String, harmless: bool, pointers: Vec<u32> },
}

/// An instruction, and what is done to it.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) instruction: Value,
    pub(crate) action: Action,
    pub(crate) site: Site,
}

/// The decider for the instructions of a module; the fields are what the decisions rest on.
pub(crate) struct Accesses<'a> {
    pub(crate) names: &'a Names,
    pub(crate) layout: Layout,
    pub(crate) privacy: &'a Privacy<'a>,
    pub(crate) places: &'a Places,
}

impl Accesses<'_> {
    /// Returns the hooks of a function, in program order.
    pub(crate) fn of(&self, function: Value) -> Vec<Hook> {
        ir::Function(function)
            .instructions()
            .into_iter()
            .flat_map(|instruction| self.of_instruction(instruction))
            .collect()
    }

    /// Returns the hooks of an instruction, in the order in which they are called.
    fn of_instruction(&self, instruction: Value) -> Vec<Hook> {
        let actions = match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad) => self.load(instruction),
            Some(LLVMOpcode::LLVMStore) => self.store(instruction),
            Some(LLVMOpcode::LLVMAtomicRMW) => self.read_modify_write(instruction),
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => self.compare_exchange(instruction),
            Some(LLVMOpcode::LLVMFence) => Self::fence(instruction),
            Some(LLVMOpcode::LLVMVAArg) => vec![refuse("the va_arg instruction")],
            _ if instruction.is_call() => self.call(instruction),
            _ => Vec::new(),
        };
        let hook = |action| Hook { instruction, site: self.site(instruction, &action), action };
        actions.into_iter().map(hook).collect()
    }

    /// Returns the place in the source that a hook is called with.
    fn site(&self, instruction: Value, action: &Action) -> Site {
        let operand = match (action, instruction.opcode()) {
            (Action::PassByValue(argument, _), _) => *argument,
            (Action::Lift { shared, .. }, _) => match shared.first() {
                Some(&argument) => argument,
                None => return self.places.site(instruction, None),
            },
            (Action::Library { .. } | Action::Copy { to_native: true, .. }, _) | (_, Some(LLVMOpcode::LLVMStore)) => 1,
            (Action::Copy { .. } | Action::Fill, _)
            | (_, Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg)) => 0,
            (Action::StoreSite, _) if self.names_its_object(instruction) => 0,
            _ => return self.places.site(instruction, None),
        };
        self.places.site(instruction, Some((instruction.operand(operand), self.width(instruction, action))))
    }

    /// Returns how many bytes an instruction accesses; 1 if that is not known, or if what it accesses is an object of the C
    /// library.
    fn width(&self, instruction: Value, action: &Action) -> u64 {
        let accessed = match (action, instruction.opcode()) {
            (Action::PassByValue(_, kind), _) => Some(*kind),
            (Action::Lift { shared, .. }, _) => shared
                .first()
                .and_then(|&argument| Call(instruction).type_attribute(argument, attribute_kind("elementtype"))),
            (_, Some(LLVMOpcode::LLVMLoad)) => Some(instruction.kind()),
            (_, Some(LLVMOpcode::LLVMStore)) => Some(instruction.operand(0).kind()),
            (_, Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg)) => Some(instruction.operand(1).kind()),
            _ => None,
        };
        let told = match action {
            Action::Library { .. } => Some(0),
            Action::Copy { .. } | Action::Fill => Some(2),
            _ => None,
        };
        let constant = |operand| Some(instruction.operand(operand)).filter(|length| length.is(Class::ConstantInt));
        let told = told.and_then(constant).and_then(|length| u64::try_from(Constant(length).signed()).ok());
        accessed.map(|kind| self.layout.allocated_size(kind)).or(told).unwrap_or(1).max(1)
    }

    /// Whether the first argument of a call is the object by which the call synchronises.
    fn names_its_object(&self, call: Value) -> bool {
        const OBJECTS: [&str; 8] = [
            "pthread_mutex_",
            "pthread_cond_",
            "pthread_rwlock_",
            "pthread_spin_",
            "pthread_barrier_",
            "sem_",
            "mtx_",
            "cnd_",
        ];
        let Callee::Modelled(name) = callee(call, self.names) else { return false };
        OBJECTS.iter().any(|prefix| name.starts_with(prefix)) && call.operand(0).kind().is_pointer()
    }

    fn load(&self, load: Value) -> Vec<Action> {
        let pointer = load.operand(0);
        if self.is_non_temporal(load, pointer) {
            return vec![refuse("a non-temporal load")];
        }
        self.access(pointer, load.kind(), ir::Instruction(load).ordering(), |order| {
            order.map_or(Action::Load, Action::AtomicLoad)
        })
    }

    fn store(&self, store: Value) -> Vec<Action> {
        let kind = store.operand(0).kind();
        if self.is_non_temporal(store, store.operand(1)) {
            return vec![refuse("a non-temporal store")];
        }
        self.access(store.operand(1), kind, ir::Instruction(store).ordering(), |order| {
            order.map_or(Action::Store, Action::AtomicStore)
        })
    }

    /// Whether an access of memory that others could see bypasses the caches, and with them the order of other accesses.
    fn is_non_temporal(&self, access: Value, pointer: Value) -> bool {
        ir::Instruction(access).has_metadata(metadata_kind("nontemporal")) && !self.privacy.is_native(pointer)
    }

    /// Returns the action of a load or store, which `action` makes from its order.
    fn access(
        &self,
        pointer: Value,
        kind: Type,
        ordering: LLVMAtomicOrdering,
        action: impl Fn(Option<u32>) -> Action,
    ) -> Vec<Action> {
        if self.privacy.is_native(pointer) {
            return Vec::new();
        }
        if pointer.kind().address_space() != 0 {
            return vec![refuse("an access relative to a segment register")];
        }
        if ordering == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic {
            return vec![action(None)];
        }
        vec![match (self.atomic_bytes(kind), c11_order(ordering)) {
            (Ok(_), Some(order)) => action(Some(order)),
            (Err(what), _) => refuse(&what),
            (_, None) => refuse("an unordered atomic access"),
        }]
    }

    fn read_modify_write(&self, instruction: Value) -> Vec<Action> {
        if self.privacy.is_native(instruction.operand(0)) {
            return Vec::new();
        }
        let kind = instruction.kind();
        let order = c11_order(ir::Instruction(instruction).ordering());
        vec![match (self.atomic_bytes(kind), rmw_number(ir::Instruction(instruction).rmw_operation(), kind), order) {
            (Err(what), _, _) => refuse(&what),
            (_, None, _) => refuse("an atomic operation on a number of this type"),
            (Ok(_), Some(operation), Some(order)) => Action::ReadModifyWrite(operation, order),
            (_, _, None) => refuse("an unordered atomic access"),
        }]
    }

    fn compare_exchange(&self, instruction: Value) -> Vec<Action> {
        if self.privacy.is_native(instruction.operand(0)) {
            return Vec::new();
        }
        let success = c11_order(ir::Instruction(instruction).success_ordering());
        let failure = c11_order(ir::Instruction(instruction).failure_ordering());
        let weak = u32::from(ir::Instruction(instruction).is_weak());
        vec![match (self.atomic_bytes(instruction.operand(1).kind()), success, failure) {
            (Ok(_), Some(success), Some(failure)) => Action::CompareExchange(success | failure << 8 | weak << 16),
            (Err(what), _, _) => refuse(&what),
            _ => refuse("an unordered atomic access"),
        }]
    }

    /// Returns the width of an atomic access in bytes, or what is wrong with it.
    fn atomic_bytes(&self, kind: Type) -> Result<u64, String> {
        let wide = kind.kind() == LLVMTypeKind::LLVMIntegerTypeKind && kind.integer_bits() == 128;
        kind.simple_bytes()
            .or(wide.then_some(16))
            .ok_or_else(|| format!("a {}-byte atomic access", self.layout.store_size(kind)))
    }

    fn fence(fence: Value) -> Vec<Action> {
        if ir::Instruction(fence).is_single_thread() {
            return Vec::new();
        }
        vec![c11_order(ir::Instruction(fence).ordering()).map_or_else(|| refuse("an unordered fence"), Action::Fence)]
    }

    /// Returns the actions of a call.
    fn call(&self, call: Value) -> Vec<Action> {
        let kind = callee(call, self.names);
        let mut actions = Vec::new();
        if !matches!(kind, Callee::Intrinsic(_) | Callee::Memory(_) | Callee::Assembly(_)) {
            actions.extend(self.by_value(call));
        }
        match kind {
            Callee::Assembly(meaning) => actions.extend(self.assembly(call, meaning)),
            Callee::Intrinsic(name) => actions.extend(self.intrinsic(call, &name)),
            Callee::Memory(copies) => actions.extend(self.memory(call, copies)),
            Callee::AtomicLibrary(name) => actions.push(self.atomic_library(call, &name)),
            Callee::Unsupported(name) => actions.push(refuse(&format!("the function `{name}`"))),
            Callee::Modelled(_) | Callee::Indirect => actions.push(Action::StoreSite),
            Callee::SetJump => actions.push(Action::SetJump { saves_mask: None }),
            Callee::SetJumpWithSignals => actions.push(Action::SetJump { saves_mask: Some(1) }),
            Callee::External(name) => actions.push(self.announce(call, name)),
            Callee::Library | Callee::Own => {}
        }
        actions
    }

    /// Returns the actions that copy structs passed by value out of shared memory.
    fn by_value(&self, call: Value) -> Vec<Action> {
        let byval = attribute_kind("byval");
        Call(call)
            .arguments()
            .filter_map(|(index, argument)| Some((index, argument, Call(call).type_attribute(index, byval)?)))
            .filter(|&(_, argument, _)| !self.privacy.is_native(argument))
            .map(|(index, _, kind)| Action::PassByValue(index, kind))
            .collect()
    }

    /// Returns the actions of inline assembly.
    fn assembly(&self, call: Value, meaning: Assembly) -> Vec<Action> {
        if passes_control_elsewhere(call) {
            return vec![refuse("asm goto")];
        }
        let elementtype = attribute_kind("elementtype");
        let visible = |&(index, argument): &(u32, Value)| {
            Call(call).type_attribute(index, elementtype).is_some() && !self.privacy.is_native(argument)
        };
        let shared: Vec<u32> = Call(call).arguments().filter(visible).map(|(index, _)| index).collect();
        let is_foreign = || is_foreign(&InlineAssembly(Call(call).callee()).text(), &self.names.templates);
        match meaning {
            Assembly::Nothing if is_foreign() => vec![Action::Drop],
            Assembly::Nothing => Vec::new(),
            Assembly::Program(program) => match program.instructions.as_slice() {
                &[Instruction::Fence(number)] if program.slots.iter().all(|slot| slot.role == Role::Input) => {
                    vec![Action::Fence(number)]
                }
                _ => vec![Action::Lift { program, shared }],
            },
            Assembly::Native { name, .. } if !shared.is_empty() => {
                vec![refuse(&format!("inline assembly `{name}` on memory that others could see"))]
            }
            Assembly::Native { name, harmless, fence } => {
                let announce = Action::Announce { name, harmless, pointers: Vec::new() };
                fence.map(Action::FenceBefore).into_iter().chain([announce]).collect()
            }
            Assembly::Unknown(text) if is_foreign() => vec![Action::RefuseForeign(format!("inline assembly `{text}`"))],
            Assembly::Unknown(text) => vec![refuse(&format!("inline assembly `{text}`"))],
        }
    }

    /// Returns the action of a call of the atomic library.
    fn atomic_library(&self, call: Value, name: &str) -> Action {
        match LibraryFunction::of(name) {
            Some(function) if call.operand(0).is(Class::ConstantInt) && !is_terminator(call) => {
                let buffers = function.buffers().iter().map(|&(position, _)| position);
                let shared = buffers.filter(|&position| !self.privacy.is_native(call.operand(position))).collect();
                Action::Library { function, shared }
            }
            _ => refuse(&format!("the library function `{name}`")),
        }
    }

    fn intrinsic(&self, call: Value, name: &str) -> Option<Action> {
        if let Some(order) = fence_intrinsic(name) {
            return Some(Action::Fence(order));
        }
        let harmful = !is_quiet_intrinsic(name)
            && Call(call)
                .arguments()
                .any(|(_, argument)| argument.kind().holds_pointers() && !self.privacy.is_of_no_interest(argument));
        harmful.then(|| refuse(&format!("the intrinsic `{name}`")))
    }

    /// Returns the action of a memcpy, memmove or memset.
    fn memory(&self, call: Value, copies: bool) -> Option<Action> {
        let length = call.operand(2);
        if length.is(Class::ConstantInt) && Constant(length).unsigned() == 0 {
            return None;
        }
        let to_native = self.privacy.is_native(call.operand(0));
        if !copies {
            return (!to_native).then_some(Action::Fill);
        }
        let from_native = self.privacy.is_native(call.operand(1));
        (!to_native || !from_native).then_some(Action::Copy { to_native, from_native })
    }

    fn announce(&self, call: Value, name: String) -> Action {
        let byval = attribute_kind("byval");
        let pointers = Call(call)
            .arguments()
            .filter(|(_, argument)| argument.kind().is_pointer() && !self.privacy.is_of_no_interest(*argument))
            .filter(|&(index, _)| Call(call).type_attribute(index, byval).is_none())
            .map(|(index, _)| index)
            .collect();
        Action::Announce { harmless: self.names.is_harmless(&name), name, pointers }
    }
}

fn refuse(what: &str) -> Action {
    Action::Refuse(what.to_owned())
}

/// Returns the number that C11 gives to a memory order.
fn c11_order(ordering: LLVMAtomicOrdering) -> Option<u32> {
    match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => Some(0),
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => Some(2),
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => Some(3),
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => Some(4),
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Some(5),
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic | LLVMAtomicOrdering::LLVMAtomicOrderingUnordered => None,
    }
}

/// Returns the number that the hook ABI gives to a read-modify-write operation (`FH_RMW_…`).
fn rmw_number(operation: LLVMAtomicRMWBinOp, kind: Type) -> Option<u32> {
    let float = matches!(kind.kind(), LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind);
    match operation {
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFAdd if float => Some(abi::FH_RMW_FADD),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFSub if float => Some(abi::FH_RMW_FSUB),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFMax if float => Some(abi::FH_RMW_FMAX),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFMin if float => Some(abi::FH_RMW_FMIN),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg => Some(abi::FH_RMW_EXCHANGE),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd => Some(abi::FH_RMW_ADD),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpSub => Some(abi::FH_RMW_SUB),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAnd => Some(abi::FH_RMW_AND),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpNand => Some(abi::FH_RMW_NAND),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpOr => Some(abi::FH_RMW_OR),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXor => Some(abi::FH_RMW_XOR),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMax => Some(abi::FH_RMW_MAX),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMin => Some(abi::FH_RMW_MIN),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMax => Some(abi::FH_RMW_UMAX),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMin => Some(abi::FH_RMW_UMIN),
        _ => None,
    }
}
