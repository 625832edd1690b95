//! What two threads of real code do together.

use crate::generate::Generator;
use crate::program::{Statement, block, line};
use crate::waits;

/// Adds something that threads do together.
pub(crate) fn add(generator: &mut Generator) {
    let kinds: [fn(&mut Generator, usize, usize); 19] = [
        critical_sections,
        critical_sections,
        tries,
        condition,
        semaphore,
        wait_loop,
        waits::add,
        publication,
        barrier,
        once,
        read_write_lock,
        spin_lock,
        errors_of_mutexes,
        child,
        specific,
        timed_lock,
        timed_condition,
        timed_semaphore,
        early_free,
    ];
    let count = generator.program.created;
    let first = generator.random.below(count);
    let second = (first + 1 + generator.random.below(count - 1)) % count;
    let kind = kinds[generator.random.below(kinds.len())];
    kind(generator, first, second);
}

fn small(generator: &mut Generator) -> Vec<Statement> {
    let mut statements = vec![generator.store()];
    if generator.random.percent(50) {
        statements.push(generator.load());
    }
    statements
}

fn critical_sections(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED pthread_mutex_t m$ = PTHREAD_MUTEX_INITIALIZER;");
    for thread in [first, second] {
        let body = small(generator);
        generator.insert(thread, vec![block("pthread_mutex_lock(&m$);", body, "pthread_mutex_unlock(&m$);")]);
    }
}

fn tries(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED pthread_mutex_t m$ = PTHREAD_MUTEX_INITIALIZER;");
    let body = small(generator);
    generator.insert(first, vec![block("pthread_mutex_lock(&m$);", body, "pthread_mutex_unlock(&m$);")]);
    let (body, register) = (small(generator), generator.register());
    let body = [body, vec![line("pthread_mutex_unlock(&m$);")]].concat();
    let tried = vec![
        line(format!("{register} = pthread_mutex_trylock(&m$);")),
        block(format!("if ({register} == 0) {{"), body, "}"),
    ];
    generator.insert(second, vec![block("{", tried, "}")]);
}

fn condition(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED pthread_mutex_t m$ = PTHREAD_MUTEX_INITIALIZER;");
    generator.declare("SHARED pthread_cond_t cond$ = PTHREAD_COND_INITIALIZER;");
    generator.declare("SHARED volatile int ready$;");
    let wait = "while (!ready$) pthread_cond_wait(&cond$, &m$);";
    let wait = vec![block("pthread_mutex_lock(&m$);", vec![line(wait)], "pthread_mutex_unlock(&m$);")];
    generator.insert(first, wait);
    let wake = generator.random.of(&["pthread_cond_signal(&cond$);", "pthread_cond_broadcast(&cond$);"]);
    let wake = match generator.random.below(4) {
        0 => {
            vec![block("pthread_mutex_lock(&m$);", vec![line("ready$ = 1;"), line(wake)], "pthread_mutex_unlock(&m$);")]
        }
        // The wake-up may get lost.
        1 => vec![line("ready$ = 1;"), line(wake)],
        _ => {
            vec![block("pthread_mutex_lock(&m$);", vec![line("ready$ = 1;")], "pthread_mutex_unlock(&m$);"), line(wake)]
        }
    };
    generator.insert(second, vec![block("{", wake, "}")]);
}

fn semaphore(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED sem_t sem$;");
    let initial = generator.random.below(2);
    if generator.program.setup.iter().all(|statement| !format!("{statement:?}").contains("sem_init")) {
        generator.program.setup.push(line(format!("sem_init(&sem$, 0, {initial});")));
    }
    let register = generator.register();
    let take = match generator.random.below(4) {
        0 => vec![line(format!("{register} = sem_trywait(&sem$);"))],
        1 => vec![line(format!("{{ int n0; sem_getvalue(&sem$, &n0); {register} = n0; }}"))],
        _ => vec![line("sem_wait(&sem$);")],
    };
    generator.insert(first, take);
    generator.insert(second, vec![line("sem_post(&sem$);")]);
}

/// One thread waits for what another one stores.
fn wait_loop(generator: &mut Generator, first: usize, second: usize) {
    let (flag, store) = match generator.random.below(3) {
        0 => ("flag$", "flag$ = 1;"),
        1 => (
            "atomic_load_explicit(&done$, memory_order_acquire)",
            "atomic_store_explicit(&done$, 1, memory_order_release);",
        ),
        _ => ("atomic_load_explicit(&done$, memory_order_relaxed)", "done$ = 1;"),
    };
    generator.declare("SHARED volatile int flag$;");
    generator.declare("SHARED atomic_int done$;");
    let (name, register) = (generator.fresh(), generator.register());
    let wait = match generator.random.below(4) {
        0 => format!("while (!{flag}) sched_yield();"),
        1 => format!("for (int {name} = 0; {name} < 2 && !{flag}; {name}++) {register}++;"),
        2 => format!("do {{ {register} = {flag}; }} while (!{register});"),
        _ => format!("while (!{flag}) ;"),
    };
    generator.insert(first, vec![line(wait)]);
    generator.insert(second, vec![line(store)]);
}

/// A block that one thread allocates and fills, and another one reads.
fn publication(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("struct message$ { volatile int key; volatile int value; };");
    generator.declare("SHARED struct message$ *_Atomic box$;");
    let (name, number) = (generator.fresh(), generator.number());
    let order = generator.random.of(&["memory_order_release", "memory_order_relaxed", "memory_order_seq_cst"]);
    let publish = vec![
        line(format!("{name}->value = {number};")),
        line(format!("atomic_store_explicit(&box$, {name}, {order});")),
    ];
    generator
        .insert(first, vec![block(format!("{{ struct message$ *{name} = calloc(1, sizeof *{name});"), publish, "}")]);
    let (found, register) = (generator.fresh(), generator.register());
    let frees = generator.random.percent(30);
    let take = if frees { "atomic_exchange(&box$, 0)" } else { "atomic_load_explicit(&box$, memory_order_acquire)" };
    let mut body = vec![line(format!("{register} = {found}->value;"))];
    if frees {
        body.push(line(format!("free({found});")));
    }
    let read = vec![block(format!("if ({found}) {{"), body, "}")];
    generator.insert(second, vec![block(format!("{{ struct message$ *{found} = {take};"), read, "}")]);
    if !generator.program.end.contains(&line("free((void *)box$);")) {
        generator.program.end.push(line("free((void *)box$);"));
    }
}

fn barrier(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED pthread_barrier_t barrier$;");
    generator.once_in_setup("pthread_barrier_init(&barrier$, 0, 2);");
    let register = generator.register();
    generator.insert(first, vec![line("pthread_barrier_wait(&barrier$);")]);
    generator.insert(second, vec![line(format!("{register} = pthread_barrier_wait(&barrier$);"))]);
}

fn once(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED volatile int made$;");
    generator.declare("SHARED pthread_once_t once$ = PTHREAD_ONCE_INIT;");
    generator.declare("static void make$(void) { made$ = made$ + 1; }");
    for thread in [first, second] {
        let register = generator.register();
        let body = vec![line("pthread_once(&once$, make$);"), line(format!("{register} = made$;"))];
        generator.insert(thread, vec![block("{", body, "}")]);
    }
}

fn read_write_lock(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED pthread_rwlock_t rw$ = PTHREAD_RWLOCK_INITIALIZER;");
    let writes = generator.random.of(&["rdlock", "wrlock"]);
    for (thread, kind) in [(first, "rdlock"), (second, writes)] {
        let body = if kind == "rdlock" { vec![generator.load()] } else { small(generator) };
        let open = format!("pthread_rwlock_{kind}(&rw$);");
        generator.insert(thread, vec![block(open, body, "pthread_rwlock_unlock(&rw$);")]);
    }
}

fn spin_lock(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED pthread_spinlock_t spin$;");
    generator.once_in_setup("pthread_spin_init(&spin$, 0);");
    for thread in [first, second] {
        let body = small(generator);
        generator.insert(thread, vec![block("pthread_spin_lock(&spin$);", body, "pthread_spin_unlock(&spin$);")]);
    }
}

/// What mutexes that check say.
fn errors_of_mutexes(generator: &mut Generator, first: usize, second: usize) {
    let kind = generator.random.of(&["ERRORCHECK", "RECURSIVE"]);
    generator.declare("SHARED pthread_mutex_t checked$;");
    if generator.program.setup.iter().all(|statement| !format!("{statement:?}").contains("checked$")) {
        generator.program.setup.push(line(format!(
            "{{ pthread_mutexattr_t attr; pthread_mutexattr_init(&attr); \
             pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_{kind}); pthread_mutex_init(&checked$, &attr); }}"
        )));
    }
    let (register, other) = (generator.register(), generator.register());
    let mut body = vec![line(format!("{register} = pthread_mutex_lock(&checked$);"))];
    body.push(line(format!("if ({register} == 0) pthread_mutex_unlock(&checked$);")));
    generator.insert(first, vec![block("pthread_mutex_lock(&checked$);", body, "pthread_mutex_unlock(&checked$);")]);
    let body = small(generator);
    let open = format!("{other} = pthread_mutex_lock(&checked$);");
    generator.insert(second, vec![block(open, body, "pthread_mutex_unlock(&checked$);")]);
}

/// A thread that a thread creates.
fn child(generator: &mut Generator, first: usize, _: usize) {
    let index = generator.program.threads.len();
    if index > generator.program.created {
        return;
    }
    let body = small(generator);
    generator.program.threads.push(body);
    let name = generator.fresh();
    let create = format!("{{ pthread_t {name}; pthread_create(&{name}, 0, thread{index}$, 0);");
    let (inside, end) = match generator.random.below(3) {
        0 => (vec![generator.load()], format!("pthread_join({name}, 0); }}")),
        1 => (Vec::new(), format!("pthread_join({name}, 0); }}")),
        _ => {
            generator.differs_natively();
            (vec![generator.store()], format!("pthread_detach({name}); }}"))
        }
    };
    generator.insert(first, vec![block(create, inside, end)]);
}

/// Data of a thread's own, with a function that is called when the thread ends.
fn specific(generator: &mut Generator, first: usize, second: usize) {
    generator.differs_natively();
    generator.declare("SHARED pthread_key_t key$;");
    generator.declare("SHARED volatile int ended$;");
    generator.declare("static void end$(void *value) { ended$ = ended$ + (int)(long)value; }");
    generator.once_in_setup("pthread_key_create(&key$, end$);");
    generator.insert(first, vec![line("pthread_setspecific(key$, (void *)1);")]);
    let register = generator.register();
    let body = vec![
        line("pthread_setspecific(key$, (void *)2);"),
        line(format!("{register} = (long)pthread_getspecific(key$) + ended$;")),
    ];
    generator.insert(second, vec![block("{", body, "}")]);
}

/// A lock that is given up when its limit is over, which is so at once.
fn timed_lock(generator: &mut Generator, first: usize, second: usize) {
    let (declaration, name, lock, timed) = *generator.random.of(&[
        &(
            "SHARED pthread_mutex_t m$ = PTHREAD_MUTEX_INITIALIZER;",
            "m$",
            "pthread_mutex_lock",
            "pthread_mutex_timedlock",
        ),
        &(
            "SHARED pthread_rwlock_t rw$ = PTHREAD_RWLOCK_INITIALIZER;",
            "rw$",
            "pthread_rwlock_wrlock",
            "pthread_rwlock_timedrdlock",
        ),
    ]);
    generator.declare(declaration);
    let unlock = if name == "m$" { "pthread_mutex_unlock(&m$);" } else { "pthread_rwlock_unlock(&rw$);" };
    let body = small(generator);
    generator.insert(first, vec![block(format!("{lock}(&{name});"), body, unlock)]);
    let (register, limit) = (generator.register(), generator.fresh());
    let body = vec![generator.load(), line(unlock)];
    let tried = vec![
        line(format!("{register} = {timed}(&{name}, &{limit});")),
        block(format!("if ({register} == 0) {{"), body, "}"),
    ];
    generator.insert(second, vec![block(format!("{{ struct timespec {limit} = {{0, 0}};"), tried, "}")]);
}

/// A wait on a condition variable that may run out.
fn timed_condition(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED pthread_mutex_t m$ = PTHREAD_MUTEX_INITIALIZER;");
    generator.declare("SHARED pthread_cond_t cond$ = PTHREAD_COND_INITIALIZER;");
    generator.declare("SHARED volatile int ready$;");
    let (register, limit) = (generator.register(), generator.fresh());
    let wait = if generator.random.percent(50) {
        format!("if (!ready$) {register} = pthread_cond_timedwait(&cond$, &m$, &{limit});")
    } else {
        format!("while (!ready$ && {register} == 0) {register} = pthread_cond_timedwait(&cond$, &m$, &{limit});")
    };
    let wait = vec![block("pthread_mutex_lock(&m$);", vec![line(wait)], "pthread_mutex_unlock(&m$);")];
    generator.insert(first, vec![block(format!("{{ struct timespec {limit} = {{0, 0}};"), wait, "}")]);
    let wake = vec![line("ready$ = 1;"), line("pthread_cond_signal(&cond$);")];
    generator.insert(second, vec![block("pthread_mutex_lock(&m$);", wake, "pthread_mutex_unlock(&m$);")]);
}

fn timed_semaphore(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED sem_t tsem$;");
    generator.once_in_setup("sem_init(&tsem$, 0, 0);");
    let (register, limit) = (generator.register(), generator.fresh());
    let wait = vec![line(format!("{register} = sem_timedwait(&tsem$, &{limit});"))];
    generator.insert(first, vec![block(format!("{{ struct timespec {limit} = {{0, 0}};"), wait, "}")]);
    generator.insert(second, vec![line("sem_post(&tsem$);")]);
}

/// A block that one thread frees and another one may use afterwards.
fn early_free(generator: &mut Generator, first: usize, second: usize) {
    generator.differs_natively();
    generator.declare("SHARED volatile int *gone$;");
    generator.once_in_setup("gone$ = calloc(2, sizeof *gone$);");
    let register = generator.register();
    let condition = if generator.random.percent(50) {
        let cell = generator.cell();
        format!("if ({}) ", cell.load(&mut generator.random))
    } else {
        String::new()
    };
    let uses = generator.random.of(&["gone$[0] = 1;", "REGISTER = gone$[1];", "free((void *)gone$);"]);
    generator.insert(first, vec![line("free((void *)gone$);")]);
    generator.insert(second, vec![line(condition + &uses.replace("REGISTER", register))]);
}
