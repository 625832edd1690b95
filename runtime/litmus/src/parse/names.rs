//! The names that a test has used so far, while it is read.

use engine::event::{Location, Thread};
use engine::graph::Value;

use crate::code::{Code, Expression, Operation, Register};
use crate::condition::{Condition, Observable};
use crate::parse::registers;
use crate::parse::widths::Width;
use crate::test::{Architecture, Test, address};
use crate::text::{Error, Kind, TextPosition, Token, Tokens, error};

/// Returns the address of the location with this index.
fn address_of(index: usize) -> Value {
    address(Location(u32::try_from(index).expect("fewer than 2^32 locations")))
}

/// The threads, registers and locations that a test has named so far.
pub(super) struct Names {
    pub(super) architecture: Architecture,
    locations: Vec<String>,
    initial: Vec<Value>,
    /// Whether each location is named anywhere but where its initial value is given.
    named: Vec<bool>,
    /// The width of the accesses to each location, as far as it is known.
    widths: Vec<Option<Width>>,
    pub(super) threads: Vec<Code>,
    observables: Vec<Observable>,
    /// One more than the highest thread with an initial register, and the place where that register is given.
    mentioned: usize,
    mentioned_at: TextPosition,
    /// The initial values of registers, with the thread where one is named: `0:r1=x`, `%x0=x`.
    registers: Vec<(Option<usize>, String, Value)>,
}

impl Names {
    pub(super) fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            locations: Vec::new(),
            initial: Vec::new(),
            named: Vec::new(),
            widths: Vec::new(),
            threads: Vec::new(),
            observables: Vec::new(),
            mentioned: 0,
            mentioned_at: TextPosition { line: 1, column: 1 },
            registers: Vec::new(),
        }
    }

    /// Returns the location with this name.
    pub(super) fn location(&mut self, name: &str) -> Location {
        let location = self.declared(name);
        self.named[location.index()] = true;
        location
    }

    /// Returns the location with this name, which need not be named anywhere else.
    fn declared(&mut self, name: &str) -> Location {
        let index = self.locations.iter().position(|known| known == name).unwrap_or_else(|| {
            self.locations.push(name.to_owned());
            self.initial.push(0);
            self.named.push(false);
            self.widths.push(None);
            self.locations.len() - 1
        });
        Location(u32::try_from(index).expect("fewer than 2^32 locations"))
    }

    /// Notes an access of this width at an address, which may be a location or what a register holds from the beginning. All
    /// accesses to a location must have the same width.
    pub(super) fn access(
        &mut self,
        code: &Code,
        address: &Expression,
        width: Width,
        position: TextPosition,
    ) -> Result<(), Error> {
        let Expression::Register(register) = address else { return Ok(()) };
        let is_new = code.instructions.iter().any(|instruction| match instruction.operation {
            Operation::Assign { to, .. } | Operation::Load { to, .. } | Operation::Update { to, .. } => to == *register,
            _ => false,
        });
        let held = code.registers[register.index()].initial;
        let Some(index) = (0..self.locations.len()).find(|&index| !is_new && held == address_of(index)) else {
            return Ok(());
        };
        match self.widths[index].replace(width) {
            Some(other) if other != width => error(
                position,
                format!("accesses of 32 and of 64 bits to `{}`: mixed sizes are not supported", self.locations[index]),
            ),
            _ => Ok(()),
        }
    }

    /// Reads a value of an initial state or a condition: a number, or the address of a location.
    pub(super) fn value(&mut self, tokens: &mut Tokens<'_>) -> Result<Value, Error> {
        tokens.take("&");
        match tokens.take_kind(Kind::Name) {
            Some(name) => Ok(address(self.location(name.text))),
            None => tokens.number(),
        }
    }

    /// Reads a thread, `0` or `P0`.
    pub(super) fn thread(&mut self, tokens: &mut Tokens<'_>) -> Result<usize, Error> {
        let token = tokens.next().expect("the caller has seen what follows");
        match token.text.strip_prefix('P').unwrap_or(token.text).parse() {
            Ok(thread) if thread < Thread::LIMIT => {
                if self.mentioned <= thread {
                    (self.mentioned, self.mentioned_at) = (thread + 1, token.position);
                }
                Ok(thread)
            }
            _ => error(token.position, format!("`{}` is no thread", token.text)),
        }
    }

    /// Returns the code of a new thread, with the initial registers that were given to it.
    pub(super) fn new_thread(&mut self) -> Code {
        let mut code = Code::default();
        let thread = self.threads.len();
        for (of, name, value) in &self.registers {
            if of.is_none_or(|of| of == thread) {
                let register = code.register(name);
                code.registers[register.index()].initial = *value;
            }
        }
        code
    }

    pub(super) fn observe(&mut self, observable: Observable) -> usize {
        self.observables.iter().position(|known| *known == observable).unwrap_or_else(|| {
            self.observables.push(observable);
            self.observables.len() - 1
        })
    }

    pub(super) fn observe_register(&mut self, thread: usize, register: Token<'_>) -> Result<usize, Error> {
        let name = self.register_name(register)?;
        let Some(code) = self.threads.get_mut(thread) else {
            return error(register.position, format!("there is no thread {thread}"));
        };
        let register = code.register(&name);
        Ok(self.observe(Observable::Register(thread, register)))
    }

    /// Returns the name that a register goes by, or the error that there is no such register.
    pub(super) fn register_name(&self, token: Token<'_>) -> Result<String, Error> {
        let name = match self.architecture {
            Architecture::PowerPc => registers::powerpc(token.text),
            Architecture::X86 => registers::x86(token.text),
            Architecture::Aarch64 => registers::aarch64(token.text),
            Architecture::Riscv => registers::riscv(token.text),
            Architecture::C => Some(token.text.to_owned()),
        };
        name.map_or_else(|| error(token.position, format!("`{}` is no register", token.text)), Ok)
    }

    /// Notes the initial value of a register, of one thread or of all.
    pub(super) fn begin_register(&mut self, thread: Option<usize>, name: String, value: Value) {
        self.registers.push((thread, name, value));
    }

    /// Notes the initial value of a location.
    pub(super) fn begin_location(&mut self, name: &str, value: Value) {
        let location = self.declared(name);
        self.initial[location.index()] = value;
    }

    /// Checks that no register is given to a thread that the program does not have.
    pub(super) fn assert_complete(&self) -> Result<(), Error> {
        if self.threads.len() >= self.mentioned {
            return Ok(());
        }
        error(self.mentioned_at, format!("thread {} has no column in the program", self.mentioned - 1))
    }

    /// Returns the test. Its final states list what was observed, each register that a load writes, and each location.
    pub(super) fn into_test(mut self, name: String, condition: Condition) -> Test {
        self.observe_all();
        let Self { architecture, locations, initial, threads, observables, .. } = self;
        Test { name, architecture, locations, initial, threads, condition, observables }
    }

    fn observe_all(&mut self) {
        let mut all = Vec::new();
        for (thread, code) in self.threads.iter().enumerate() {
            let loaded = code.registers.iter().enumerate().filter(|(_, register)| register.loaded);
            all.extend(loaded.map(|(index, _)| {
                Observable::Register(thread, Register(u16::try_from(index).expect("fewer than 65536 registers")))
            }));
        }
        all.extend(
            (0..self.locations.len())
                .filter(|&index| self.named[index])
                .map(|index| Observable::Location(Location(u32::try_from(index).expect("fewer than 2^32 locations")))),
        );
        for observable in all {
            self.observe(observable);
        }
    }
}
