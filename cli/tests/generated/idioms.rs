//! What real code does within a thread.

use crate::cells::Flavour;
use crate::generate::Generator;
use crate::program::{Statement, block, line};

/// Takes the address of something and keeps it where the compiler cannot see what becomes of it.
const LEAK: &str = "static void leak$(void *one, void *other) { __asm__ volatile(\"\" ::\"r\"(one), \"r\"(other)); }";
const STORE_BY: &str = "static void put$(int *to, int value) { *to = value; }";
const CAPTURE: &str =
    "__attribute__((noinline)) static void capture$(int *one, int *other) { if (one == other) *one = 9; }";

/// A statement or a few of them.
pub(crate) fn one(generator: &mut Generator) -> Vec<Statement> {
    match generator.random.below(20) {
        0..3 => out_parameter(generator),
        3..5 => several_returns(generator),
        5 => wrappers(generator),
        6 => private_block(generator),
        7 => copies(generator),
        8 => static_local(generator),
        9 => thread_local(generator),
        10 => error_number(generator),
        11 => choice(generator),
        12 => assertion(generator),
        13 => increment(generator),
        14 => early_end(generator),
        15 => chase(generator),
        16 => duplicate(generator),
        17..19 => jump(generator),
        _ => pauses(generator),
    }
}

/// A function that reads into a local variable whose address others could have.
fn out_parameter(generator: &mut Generator) -> Vec<Statement> {
    let (cell, register) = (generator.cell(), generator.register());
    let kind = *generator.random.of(&[&"int", &"char", &"long", &"short"]);
    let load = cell.load(&mut generator.random);
    let (one, other, function) = (generator.fresh(), generator.fresh(), generator.fresh());
    generator.declare(LEAK);
    generator.declare(CAPTURE);
    generator.declare(STORE_BY);
    let body = match generator.random.below(4) {
        0 => format!("{kind} {one}, {other}; leak$(&{one}, &{other}); {one} = ({kind}){load}; return {one};"),
        1 => format!("int {one} = 0, {other} = 0; capture$(&{one}, &{other}); {other} = (int){load}; return {other};"),
        2 => format!("int {one} = 0; capture$(&{one}, 0); put$(&{one}, (int){load}); return {one};"),
        _ => format!(
            "struct {{ char a; {kind} b; }} {one}; leak$(&{one}, &{one}.b); {one}.b = ({kind}){load}; return {one}.b;"
        ),
    };
    generator.declare(&format!("static long {function}$(void) {{ {body} }}"));
    vec![line(format!("{register} = {function}$();"))]
}

fn several_returns(generator: &mut Generator) -> Vec<Statement> {
    let (one, other, register) = (generator.cell(), generator.cell(), generator.register());
    let (first, second) = (one.load(&mut generator.random), other.load(&mut generator.random));
    let (function, local) = (generator.fresh(), generator.fresh());
    generator.declare(LEAK);
    let leaks = if generator.random.percent(60) { format!("leak$(&{local}, 0); ") } else { String::new() };
    generator.declare(&format!(
        "static long {function}$(void) {{ int {local} = 7; {leaks}if ({first}) return 5; \
         {local} = (int){second}; if ({local} == 1) return 6; return {local}; }}"
    ));
    vec![line(format!("{register} = {function}$();"))]
}

fn wrappers(generator: &mut Generator) -> Vec<Statement> {
    generator.declare("static inline int ld$(volatile int *from) { return *from; }");
    generator.declare("static inline void st$(volatile int *to, int value) { *to = value; }");
    let (cells, register, number) = (generator.cells.clone(), generator.register(), generator.number());
    let mut ints = cells.iter().filter(|cell| cell.flavour == Flavour::Volatile && cell.kind == "int");
    match ints.next() {
        None => vec![generator.store()],
        Some(cell) if generator.random.percent(50) => vec![line(format!("{register} = ld$(&{});", cell.name))],
        Some(cell) => vec![line(format!("st$(&{}, {number});", cell.name))],
    }
}

fn private_block(generator: &mut Generator) -> Vec<Statement> {
    let (cell, register, name) = (generator.cell(), generator.register(), generator.fresh());
    let load = cell.load(&mut generator.random);
    let allocate = generator.random.of(&["malloc(2 * sizeof(int))", "calloc(2, sizeof(int))"]);
    let mut body = vec![line(format!("{name}[1] = (int){load};")), line(format!("{register} = {name}[1];"))];
    if generator.random.percent(30) {
        body.insert(1, line(format!("{name} = realloc({name}, 4 * sizeof(int));")));
    }
    vec![block(format!("{{ int *{name} = {allocate};"), body, format!("free({name}); }}"))]
}

/// Whole structs and buffers at once.
fn copies(generator: &mut Generator) -> Vec<Statement> {
    generator.differs_natively();
    generator.declare("struct wide$ { int one; short two; char three; char four[5]; };");
    generator.declare("SHARED struct wide$ w$;");
    let (register, name, number) = (generator.register(), generator.fresh(), generator.number());
    match generator.random.below(4) {
        0 => vec![line(format!("memset(&w$, {number}, sizeof w$);"))],
        1 => vec![line(format!("w$.two = {number};"))],
        2 => vec![line(format!(
            "{{ struct wide$ {name} = w$; {register} = {name}.one + {name}.two + {name}.four[0]; }}"
        ))],
        _ => vec![line(format!(
            "{{ struct wide$ {name}; memcpy(&{name}, &w$, sizeof {name}); {register} = {name}.two + {name}.four[4]; }}"
        ))],
    }
}

fn static_local(generator: &mut Generator) -> Vec<Statement> {
    generator.differs_natively();
    generator.declare("static int next$(void) { static int count; return ++count; }");
    vec![line(format!("{} = next$();", generator.register()))]
}

fn thread_local(generator: &mut Generator) -> Vec<Statement> {
    generator.differs_natively();
    generator.declare("static _Thread_local int tls$;");
    let (cell, register) = (generator.cell(), generator.register());
    let load = cell.load(&mut generator.random);
    vec![line(format!("tls$ += 1 + (int){load};")), line(format!("{register} = tls$;"))]
}

fn error_number(generator: &mut Generator) -> Vec<Statement> {
    let (cell, register) = (generator.cell(), generator.register());
    let load = cell.load(&mut generator.random);
    vec![line(format!("errno = 10 + (int){load};")), line(format!("{register} = errno;"))]
}

fn choice(generator: &mut Generator) -> Vec<Statement> {
    generator.differs_natively();
    let register = generator.register();
    match generator.random.below(3) {
        0 => vec![line(format!("fh_assume({register} != {});", generator.number()))],
        1 => vec![line(format!("{register} = (long)fh_choose(2);"))],
        _ => {
            let body = generator.inner();
            vec![block("if (fh_choose(2)) {", body, "}")]
        }
    }
}

fn assertion(generator: &mut Generator) -> Vec<Statement> {
    generator.differs_natively();
    let name = generator.random.of(&["assert", "fh_assert"]);
    let register = generator.register();
    vec![line(format!("{name}({register} != {});", generator.number()))]
}

/// A loop around a compare-and-exchange.
fn increment(generator: &mut Generator) -> Vec<Statement> {
    let cell = generator.cell();
    let (old, kind) = (generator.fresh(), cell.kind);
    let load = cell.load(&mut generator.random);
    let exchange = cell.compare_exchange(&old, &format!("({kind})({old} + 1)"), &mut generator.random);
    if generator.random.percent(50) {
        return vec![line(format!("{{ {kind} {old} = {load}; while (!{exchange}) ; }}"))];
    }
    vec![line(format!("{{ {kind} {old}; do {{ {old} = {load}; }} while (!{exchange}); }}"))]
}

fn early_end(generator: &mut Generator) -> Vec<Statement> {
    let register = generator.register();
    let condition = format!("if ({register} == {})", generator.number());
    match generator.random.below(8) {
        0 => {
            generator.differs_natively();
            let exit = generator.random.of(&["exit(0);", "_exit(0);", "exit(3);"]);
            vec![line(format!("{condition} {exit}"))]
        }
        _ => vec![line(format!("{condition} goto out;"))],
    }
}

/// An address that depends on what was read.
fn chase(generator: &mut Generator) -> Vec<Statement> {
    generator.declare("SHARED volatile int table$[2];");
    generator.declare("SHARED volatile int *volatile pointer$ = &table$[0];");
    let (cell, register, number) = (generator.cell(), generator.register(), generator.number());
    let load = cell.load(&mut generator.random);
    match generator.random.below(4) {
        0 => vec![line(format!("{register} = table$[{load} & 1];"))],
        1 => vec![line(format!("table$[{load} & 1] = {number};"))],
        2 => vec![line("pointer$ = &table$[1];")],
        _ => vec![line(format!("{register} = *pointer$;"))],
    }
}

/// Text that threads share.
fn duplicate(generator: &mut Generator) -> Vec<Statement> {
    generator.differs_natively();
    generator.declare("SHARED char text$[4] = \"ab\";");
    let (register, name) = (generator.register(), generator.fresh());
    match generator.random.below(4) {
        0 => vec![line("strcpy(text$, \"xyz\");")],
        1 => vec![line(format!("text$[{}] = 'q';", generator.random.below(3)))],
        2 => vec![line(format!("{register} = (long)strlen(text$);"))],
        _ => {
            let body = vec![line(format!("{register} = {name}[0] - 'a';"))];
            vec![block(format!("{{ char *{name} = strdup(text$);"), body, format!("free({name}); }}"))]
        }
    }
}

/// A jump out of a block, perhaps through a function. What was stored before it stays, and no register is set in the
/// block: after a jump it would have no value that is known.
fn jump(generator: &mut Generator) -> Vec<Statement> {
    generator.declare("static void back$(jmp_buf *to, int value) { longjmp(*to, value); }");
    let (cell, register, name) = (generator.cell(), generator.register(), generator.fresh());
    let load = cell.load(&mut generator.random);
    let leaves = if generator.random.percent(50) {
        format!("longjmp({name}, {});", generator.number())
    } else {
        format!("back$(&{name}, {});", generator.number())
    };
    let body = vec![generator.store(), line(format!("if ({load}) {leaves}")), generator.store()];
    let tried = block(format!("if (setjmp({name}) == 0) {{"), body, "}");
    let caught = block("else {", vec![line(format!("{register} = 8;"))], "}");
    vec![block(format!("{{ jmp_buf {name};"), vec![block("{", vec![tried, caught], "}")], "}")]
}

fn pauses(generator: &mut Generator) -> Vec<Statement> {
    match generator.random.below(3) {
        0 => vec![line("sched_yield();")],
        1 => {
            generator.declare("SHARED volatile int cleaned$;");
            generator
                .declare("static void clean$(void *argument) { (void)argument; __sync_fetch_and_add(&cleaned$, 1); }");
            vec![block("pthread_cleanup_push(clean$, 0);", vec![generator.store()], "pthread_cleanup_pop(1);")]
        }
        _ => vec![line("__builtin_ia32_pause();")],
    }
}
