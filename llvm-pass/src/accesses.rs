//! Decides which instructions get which hooks. Nothing is changed here: the decisions are carried out by `emit.rs`.

use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMOpcode, LLVMTypeKind};

use crate::calls::{
    Assembly, Callee, assembly, callee, fence_intrinsic, is_quiet_intrinsic, is_terminator, passes_control_elsewhere,
};
use crate::escape::Privacy;
use crate::ir::{Layout, Type, Value, attribute_kind};
use crate::names::Names;
use crate::sites::{Places, Site};

/// What is done to an instruction.
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
    /// A compare-and-exchange becomes a hook: its orders and whether it is weak, as the hook takes them.
    CompareExchange(u32),
    /// A fence of a C11 order becomes a hook, in place of the instruction or before it.
    Fence(u32),
    /// A memcpy or memmove becomes a hook: whether the target, whether the source is native.
    Copy { to_native: bool, from_native: bool },
    /// A memset becomes a hook.
    Fill,
    /// A struct passed by value is first copied from shared memory: the argument's position, its type.
    PassByValue(u32, Type),
    /// The instruction is refused when it is reached: what it is, and whether it is removed.
    Refuse { what: String, removed: bool },
    /// The call's site is stored before it.
    StoreSite,
    /// The call of an external function is announced: its name, whether it is harmless, the positions of the arguments
    /// that may point to shared memory.
    Announce { name: String, harmless: bool, pointers: Vec<u32> },
}

/// An instruction and what is done to it.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) instruction: Value,
    pub(crate) action: Action,
    pub(crate) site: Site,
}

/// What is asked to decide.
pub(crate) struct Accesses<'a> {
    pub(crate) names: &'a Names,
    pub(crate) layout: Layout,
    pub(crate) privacy: &'a Privacy<'a>,
    pub(crate) places: &'a Places,
}

impl Accesses<'_> {
    /// The hooks of a function, in program order.
    pub(crate) fn of(&self, function: Value) -> Vec<Hook> {
        function.instructions().into_iter().flat_map(|instruction| self.of_instruction(instruction)).collect()
    }

    /// The hooks of an instruction, in the order in which they are called.
    fn of_instruction(&self, instruction: Value) -> Vec<Hook> {
        let actions = match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad) => self.load(instruction),
            Some(LLVMOpcode::LLVMStore) => self.store(instruction),
            Some(LLVMOpcode::LLVMAtomicRMW) => self.read_modify_write(instruction),
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => self.compare_exchange(instruction),
            Some(LLVMOpcode::LLVMFence) => Self::fence(instruction),
            Some(LLVMOpcode::LLVMVAArg) => vec![refuse("the va_arg instruction", true)],
            _ if instruction.is_call() => self.call(instruction),
            _ => Vec::new(),
        };
        let hook = |action| Hook { instruction, site: self.site(instruction, &action), action };
        actions.into_iter().map(hook).collect()
    }

    /// The site of a hook.
    fn site(&self, instruction: Value, action: &Action) -> Site {
        let operand = match (action, instruction.opcode()) {
            (Action::PassByValue(argument, _), _) => *argument,
            (Action::Copy { to_native: true, .. }, _) | (_, Some(LLVMOpcode::LLVMStore)) => 1,
            (Action::Copy { .. } | Action::Fill, _)
            | (_, Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg)) => 0,
            (Action::StoreSite, _) if self.names_its_object(instruction) => 0,
            _ => return self.places.site(instruction, None),
        };
        self.places.site(instruction, Some(instruction.operand(operand)))
    }

    /// Whether the first argument of a call is the object that it synchronises by.
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
        self.access(pointer, load.kind(), load.ordering(), |order| order.map_or(Action::Load, Action::AtomicLoad))
    }

    fn store(&self, store: Value) -> Vec<Action> {
        let kind = store.operand(0).kind();
        self.access(store.operand(1), kind, store.ordering(), |order| order.map_or(Action::Store, Action::AtomicStore))
    }

    /// The action of a load or store, which `action` makes from its order.
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
            return vec![refuse("an access relative to a segment register", true)];
        }
        if ordering == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic {
            return vec![action(None)];
        }
        vec![match (self.atomic_bytes(kind), c11_order(ordering)) {
            (Ok(_), Some(order)) => action(Some(order)),
            (Err(what), _) => refuse(&what, true),
            (_, None) => refuse("an unordered atomic access", true),
        }]
    }

    fn read_modify_write(&self, instruction: Value) -> Vec<Action> {
        if self.privacy.is_native(instruction.operand(0)) {
            return Vec::new();
        }
        let kind = instruction.kind();
        let order = c11_order(instruction.ordering());
        vec![match (self.atomic_bytes(kind), rmw_number(instruction.rmw_operation()), order) {
            (Err(what), _, _) => refuse(&what, true),
            (_, None, _) => refuse("an atomic floating-point operation", true),
            (Ok(_), Some(operation), Some(order)) => Action::ReadModifyWrite(operation, order),
            (_, _, None) => refuse("an unordered atomic access", true),
        }]
    }

    fn compare_exchange(&self, instruction: Value) -> Vec<Action> {
        if self.privacy.is_native(instruction.operand(0)) {
            return Vec::new();
        }
        let success = c11_order(instruction.success_ordering());
        let failure = c11_order(instruction.failure_ordering());
        let weak = u32::from(instruction.is_weak());
        vec![match (self.atomic_bytes(instruction.operand(1).kind()), success, failure) {
            (Ok(_), Some(success), Some(failure)) => Action::CompareExchange(success | failure << 8 | weak << 16),
            (Err(what), _, _) => refuse(&what, true),
            _ => refuse("an unordered atomic access", true),
        }]
    }

    /// The width of an atomic access, or what is wrong with it.
    fn atomic_bytes(&self, kind: Type) -> Result<u64, String> {
        simple_bytes(kind).ok_or_else(|| format!("a {}-byte atomic access", self.layout.store_size(kind)))
    }

    fn fence(fence: Value) -> Vec<Action> {
        if fence.is_single_thread() {
            return Vec::new();
        }
        vec![c11_order(fence.ordering()).map_or_else(|| refuse("an unordered fence", true), Action::Fence)]
    }

    /// The actions of a call.
    fn call(&self, call: Value) -> Vec<Action> {
        let kind = callee(call, self.names);
        let mut actions = Vec::new();
        if !matches!(kind, Callee::Intrinsic(_) | Callee::Memory(_) | Callee::Assembly(_)) {
            actions.extend(self.by_value(call));
        }
        match kind {
            Callee::Assembly(text) => actions.extend(Self::assembly(call, &text)),
            Callee::Intrinsic(name) => actions.extend(self.intrinsic(call, &name)),
            Callee::Memory(copies) => actions.extend(self.memory(call, copies)),
            Callee::AtomicLibrary(name) => {
                let what = format!("an atomic access of a size or alignment that needs the library function `{name}`");
                actions.push(Action::Refuse { what, removed: !is_terminator(call) });
            }
            Callee::Unsupported(name) => actions.push(refuse(&format!("the function `{name}`"), false)),
            Callee::Modelled(_) | Callee::Indirect => actions.push(Action::StoreSite),
            Callee::External(name) => actions.push(self.announce(call, name)),
            Callee::Library | Callee::Own => {}
        }
        actions
    }

    /// Copies for the arguments that are structs passed by value from shared memory.
    fn by_value(&self, call: Value) -> Vec<Action> {
        let byval = attribute_kind("byval");
        call.arguments()
            .filter_map(|(index, argument)| Some((index, argument, call.call_type_attribute(index, byval)?)))
            .filter(|&(_, argument, _)| !self.privacy.is_native(argument))
            .map(|(index, _, kind)| Action::PassByValue(index, kind))
            .collect()
    }

    fn assembly(call: Value, text: &str) -> Option<Action> {
        if passes_control_elsewhere(call) {
            return Some(refuse("asm goto", false));
        }
        match assembly(text) {
            Assembly::Nothing => None,
            Assembly::Fence(order) => Some(Action::Fence(order)),
            Assembly::Unknown => {
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                Some(refuse(&format!("inline assembly `{text}`"), false))
            }
        }
    }

    fn intrinsic(&self, call: Value, name: &str) -> Option<Action> {
        if let Some(order) = fence_intrinsic(name) {
            return Some(Action::Fence(order));
        }
        let harmful = !is_quiet_intrinsic(name)
            && call
                .arguments()
                .any(|(_, argument)| argument.kind().holds_pointers() && !self.privacy.is_of_no_interest(argument));
        harmful.then(|| refuse(&format!("the intrinsic `{name}`"), false))
    }

    /// The action of a memcpy, memmove or memset.
    fn memory(&self, call: Value, copies: bool) -> Option<Action> {
        let length = call.operand(2);
        if length.is_constant_int() && length.constant_unsigned() == 0 {
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
        let pointers = call
            .arguments()
            .filter(|(_, argument)| argument.kind().is_pointer() && !self.privacy.is_of_no_interest(*argument))
            .filter(|&(index, _)| call.call_type_attribute(index, byval).is_none())
            .map(|(index, _)| index)
            .collect();
        Action::Announce { harmless: self.names.is_harmless(&name), name, pointers }
    }
}

fn refuse(what: &str, removed: bool) -> Action {
    Action::Refuse { what: what.to_owned(), removed }
}

/// The width in bytes of a type that a hook takes as a value: 1, 2, 4 or 8.
pub(crate) fn simple_bytes(kind: Type) -> Option<u64> {
    match kind.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => match kind.integer_bits() {
            1 | 8 => Some(1),
            16 => Some(2),
            32 => Some(4),
            64 => Some(8),
            _ => None,
        },
        LLVMTypeKind::LLVMPointerTypeKind if kind.address_space() == 0 => Some(8),
        LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => Some(2),
        LLVMTypeKind::LLVMFloatTypeKind => Some(4),
        LLVMTypeKind::LLVMDoubleTypeKind => Some(8),
        _ => None,
    }
}

/// C11's number of an order.
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

/// The hook's number of a read-modify-write operation (`FH_RMW_…`).
fn rmw_number(operation: LLVMAtomicRMWBinOp) -> Option<u32> {
    match operation {
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg => Some(0),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd => Some(1),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpSub => Some(2),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAnd => Some(3),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpNand => Some(4),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpOr => Some(5),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXor => Some(6),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMax => Some(7),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMin => Some(8),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMax => Some(9),
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMin => Some(10),
        _ => None,
    }
}
