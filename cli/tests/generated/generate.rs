//! Random programs.

use crate::cells::{CELLS, Cell, Flavour};
use crate::program::{Native, Program, REGISTERS, Statement, block, line};
use crate::random::Random;
use crate::{idioms, protocols};

/// What a program is made with.
pub(crate) struct Generator {
    pub(crate) random: Random,
    /// The memory that the program shares.
    pub(crate) cells: Vec<Cell>,
    pub(crate) program: Program,
    /// So many names have been given to local variables.
    names: usize,
    /// So many statements may be in the blocks of this one.
    pub(crate) room: usize,
}

/// How much there is in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Size {
    Small,
    Medium,
    Large,
}

/// The program of this seed.
pub(crate) fn generate(seed: u64) -> Program {
    let mut generator = Generator::new(seed, neighbours);
    generator.fill();
    generator.program
}

/// The memory that the program of this seed shares.
pub(crate) fn cells(seed: u64) -> Vec<Cell> {
    Generator::new(seed, neighbours).cells
}

/// Two pieces of memory next to each other, which are in the same object more often than not, and maybe another one.
fn neighbours(generator: &mut Generator) -> Vec<Cell> {
    let first = generator.random.below(CELLS.len());
    let mut cells = vec![CELLS[first].clone(), CELLS[(first + 1) % CELLS.len()].clone()];
    if generator.random.percent(40) {
        cells.push(CELLS[generator.random.below(CELLS.len())].clone());
    }
    cells
}

impl Generator {
    /// A generator for an empty program of this seed, with the memory that is chosen for it.
    pub(crate) fn new(seed: u64, choose: fn(&mut Generator) -> Vec<Cell>) -> Self {
        let mut random = Random::new(seed);
        // Seeds next to each other have programs that share nothing.
        for _ in 0..4 {
            random.below(2);
        }
        let program = Program {
            seed,
            declarations: Vec::new(),
            setup: Vec::new(),
            threads: Vec::new(),
            created: 0,
            main: Vec::new(),
            end: Vec::new(),
            native: Native::Runs,
            known: None,
        };
        let mut generator = Self { random, cells: Vec::new(), program, names: 0, room: 0 };
        generator.cells = choose(&mut generator);
        generator
    }

    /// Most programs are small: all searches end on them, and what goes wrong does so in small ones as well.
    fn fill(&mut self) {
        self.share();
        let size = match self.random.below(10) {
            0..6 => Size::Small,
            6..9 => Size::Medium,
            _ => Size::Large,
        };
        let threads = if size == Size::Small || self.random.percent(70) { 2 } else { 3 };
        self.program.created = threads;
        for _ in 0..threads {
            self.room = match size {
                Size::Small => 1,
                Size::Medium => 4 - threads,
                Size::Large => 5 - threads,
            };
            self.room += self.random.below(2);
            let statements = self.statements();
            self.program.threads.push(statements);
        }
        // Main runs beside the others: few programs with it have few interleavings.
        if threads == 2 && self.random.percent(15) {
            self.room = 1;
            self.program.main = self.statements();
        }
        let most = match size {
            Size::Small => 1,
            Size::Medium => 4 - threads,
            Size::Large => 5 - threads,
        };
        for _ in 0..self.random.below(most + 1) {
            protocols::add(self);
        }
    }

    /// Declares the shared memory, and lets main look at it at the end.
    pub(crate) fn share(&mut self) {
        let cells = self.cells.clone();
        for cell in &cells {
            for declaration in cell.declarations {
                self.declare(declaration);
            }
            for text in cell.setup {
                self.once_in_setup(text);
            }
            if cell.flavour == Flavour::Plain {
                self.program.native = Native::Differs;
            }
            self.program.end.push(line(format!("fh_observe({});", cell.name)));
        }
        for text in cells.iter().flat_map(|cell| cell.end) {
            if !self.program.end.contains(&line(*text)) {
                self.program.end.push(line(*text));
            }
        }
    }

    /// Adds a declaration, once.
    pub(crate) fn declare(&mut self, declaration: &str) {
        if !self.program.declarations.iter().any(|known| known == declaration) {
            self.program.declarations.push(declaration.to_owned());
        }
    }

    /// Adds what main does before there are threads, once.
    pub(crate) fn once_in_setup(&mut self, text: &str) {
        if !self.program.setup.contains(&line(text)) {
            self.program.setup.push(line(text));
        }
    }

    /// The machine itself cannot be asked about this program.
    pub(crate) fn differs_natively(&mut self) {
        self.program.native = Native::Differs;
    }

    /// A name for a local variable.
    pub(crate) fn fresh(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    pub(crate) fn cell(&mut self) -> Cell {
        self.cells[self.random.below(self.cells.len())].clone()
    }

    pub(crate) fn register(&mut self) -> &'static str {
        REGISTERS[self.random.below(REGISTERS.len())]
    }

    pub(crate) fn number(&mut self) -> usize {
        1 + self.random.below(3)
    }

    /// As many statements as there is room for, one at least.
    pub(crate) fn statements(&mut self) -> Vec<Statement> {
        let mut statements = self.statement();
        while self.room > 0 {
            statements.extend(self.statement());
        }
        statements
    }

    /// Some of the room, for a block.
    pub(crate) fn inner(&mut self) -> Vec<Statement> {
        let room = std::mem::take(&mut self.room);
        self.room = 1 + self.random.below(2);
        let statements = self.statements();
        self.room = room.saturating_sub(1);
        statements
    }

    fn statement(&mut self) -> Vec<Statement> {
        self.room = self.room.saturating_sub(1);
        match self.random.below(100) {
            0..24 => vec![self.store()],
            24..46 => vec![self.load()],
            46..54 => vec![self.update()],
            54..59 => vec![self.fence()],
            59..67 => self.branch(),
            67..70 => self.repeat(),
            _ => idioms::one(self),
        }
    }

    pub(crate) fn store(&mut self) -> Statement {
        let cell = self.cell();
        let value = match self.random.below(4) {
            0 => self.register().to_owned(),
            1 => format!("{} + 1", self.register()),
            _ => self.number().to_string(),
        };
        line(cell.store(&value, &mut self.random))
    }

    pub(crate) fn load(&mut self) -> Statement {
        let (cell, register) = (self.cell(), self.register());
        line(format!("{register} = {};", cell.load(&mut self.random)))
    }

    /// Loads and stores, so many at most.
    pub(crate) fn accesses(&mut self, most: usize) -> Vec<Statement> {
        let count = self.random.below(most + 1);
        (0..count).map(|_| if self.random.percent(55) { self.store() } else { self.load() }).collect()
    }

    fn update(&mut self) -> Statement {
        let (cell, register, number) = (self.cell(), self.register(), self.number());
        if self.random.percent(70) {
            return line(format!("{register} = {};", cell.update(number, &mut self.random)));
        }
        let (expected, kind) = (self.fresh(), cell.kind);
        let exchange = cell.compare_exchange(&expected, &number.to_string(), &mut self.random);
        let found = self.register();
        let body = vec![line(format!("{register} = {exchange};")), line(format!("{found} = {expected};"))];
        block(format!("{{ {kind} {expected} = {};", self.random.below(2)), body, "}")
    }

    fn fence(&mut self) -> Statement {
        line(self.random.of(&[
            "__sync_synchronize();",
            "atomic_thread_fence(memory_order_seq_cst);",
            "atomic_thread_fence(memory_order_release);",
            "atomic_thread_fence(memory_order_acquire);",
            "__asm__ volatile(\"mfence\" ::: \"memory\");",
            "__asm__ volatile(\"\" ::: \"memory\");",
        ]))
    }

    fn condition(&mut self) -> String {
        let register = self.register();
        match self.random.below(4) {
            0 => {
                let cell = self.cell();
                format!("{} == {}", cell.load(&mut self.random), self.random.below(3))
            }
            1 => format!("{register} == {}", self.number()),
            2 => register.to_owned(),
            _ => {
                let (one, other) = (self.cell(), self.cell());
                format!("{} && {}", one.load(&mut self.random), other.load(&mut self.random))
            }
        }
    }

    fn branch(&mut self) -> Vec<Statement> {
        let (condition, body) = (self.condition(), self.inner());
        let mut statements = vec![block(format!("if ({condition}) {{"), body, "}")];
        if self.random.percent(40) {
            let body = self.inner();
            statements.push(block("else {", body, "}"));
            let whole = std::mem::take(&mut statements);
            // The two halves stay together.
            statements.push(block("{", whole, "}"));
        }
        statements
    }

    fn repeat(&mut self) -> Vec<Statement> {
        let (name, body) = (self.fresh(), self.inner());
        let mut body = body;
        if self.random.percent(40) {
            body.push(line(format!("if ({}) break;", self.condition())));
        }
        vec![block(format!("for (int {name} = 0; {name} < 2; {name}++) {{"), body, "}")]
    }

    /// Puts statements somewhere into what a thread does.
    pub(crate) fn insert(&mut self, thread: usize, statements: Vec<Statement>) {
        let length = self.program.threads[thread].len();
        let at = self.random.below(length + 1);
        self.program.threads[thread].splice(at..at, statements);
    }
}
