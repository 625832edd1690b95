//! Programs of `fencehound cc` that nobody controls: each does what it does when another compiler has made it.

use std::process::Command;

use crate::bench::{Bench, Ran, ran};

/// Builds a program with `fencehound cc` and with clang, runs both, and compares all that can be seen from outside.
fn same(source: &str, options: &[&str], arguments: &[&str], input: &str) -> Ran {
    let bench = Bench::new(&[("a.c", source), ("input", input)]);
    let compile = |compiler: &str, level: &str| {
        let program = format!("{compiler}{level}");
        let all = [&[level, "a.c", "-o", &program, "-pthread"], options].concat();
        let done = match compiler {
            "ours" => bench.run_all(&[&["cc"], &all[..]].concat()),
            _ => ran(&bench.command("clang-19".as_ref(), &all).output().unwrap()),
        };
        assert_eq!(done.status, 0, "{done:?}");
        let mut command = bench.command(&bench.path(&program), arguments);
        let ran = ran(&command.stdin(std::fs::File::open(bench.path("input")).unwrap()).output().unwrap());
        Ran { errors: ran.errors.replace(&program, "PROGRAM"), ..ran }
    };
    let theirs = compile("theirs", "-O1");
    for level in ["-O0", "-O2"] {
        let ours = compile("ours", level);
        let seen = |ran: &Ran| (ran.status, ran.output.clone(), ran.errors.clone());
        assert_eq!(seen(&ours), seen(&theirs), "{level}");
    }
    theirs
}

#[test]
fn threads_locks_and_conditions_are_the_real_ones() {
    let source = "#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { THREADS = 4, ROUNDS = 20000, ROOM = 8 };
struct queue { pthread_mutex_t lock; pthread_cond_t full, empty; int items[ROOM], first, count; } q = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0 };
static long sum;
static atomic_long hits, marks;
static _Thread_local int mine = 7;
static _Thread_local char zeros[100];
static _Atomic unsigned char small;
static unsigned __int128 wide;
struct pair { long a, b; };
static _Atomic struct pair pair;
static void *produce(void *arg) {
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_mutex_lock(&q.lock);
        while (q.count == ROOM) pthread_cond_wait(&q.full, &q.lock);
        q.items[(q.first + q.count++) % ROOM] = i;
        pthread_cond_signal(&q.empty);
        pthread_mutex_unlock(&q.lock);
        atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
        small++;
        mine++;
        zeros[i % 100]++;
        struct pair old = atomic_load(&pair), new;
        do { new.a = old.a + 1; new.b = old.b - 1; } while (!atomic_compare_exchange_weak(&pair, &old, new));
    }
    if (mine != 7 + ROUNDS || zeros[5] != (char)(ROUNDS / 100)) abort();
    char *text = malloc(100);
    sprintf(text, \"producer %d\", mine);
    return text;
}
static void *consume(void *arg) {
    long own = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&q.lock);
        while (q.count == 0) pthread_cond_wait(&q.empty, &q.lock);
        own += q.items[q.first];
        q.first = (q.first + 1) % ROOM, q.count--;
        pthread_cond_signal(&q.full);
        pthread_mutex_unlock(&q.lock);
    }
    pthread_mutex_lock(&q.lock);
    sum += own;
    pthread_mutex_unlock(&q.lock);
    return 0;
}
int main(void) {
    pthread_t threads[2 * THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[2 * i], 0, produce, 0);
        pthread_create(&threads[2 * i + 1], 0, consume, 0);
    }
    for (int i = 0; i < 2 * THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        if (result) puts(result), free(result);
    }
    struct pair end = atomic_load(&pair);
    printf(\"%ld %ld %d %d %ld %ld\\n\", sum, (long)hits, small, mine, end.a, end.b);
    return sum == 4l * ROUNDS * (ROUNDS + 1) / 2 ? 3 : 4;
}
";
    let ran = same(source, &["-mcx16"], &[], "");
    assert_eq!(ran.verdict(), "800040000 80000 128 7 80000 -80000");
    assert_eq!(ran.status, 3);
}

#[test]
fn signals_and_processes_are_the_real_ones() {
    let source = "#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int caught, by_thread;
static pthread_t worker;
static void on_user(int signal) { caught++; by_thread += pthread_equal(pthread_self(), worker); }
static void on_fault(int signal, siginfo_t *info, void *context) { _exit(info->si_addr == (void *)64 ? 11 : 12); }
static void *work(void *arg) { while (!atomic_load(&caught)) usleep(100); return 0; }
static void before(void) { write(1, \"prepare\\n\", 8); }
int main(void) {
    struct sigaction action = {.sa_handler = on_user};
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&worker, 0, work, 0);
    pthread_kill(worker, SIGUSR1);
    pthread_join(worker, 0);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    printf(\"%d %d\\n\", caught, by_thread);
    fflush(stdout);
    pthread_atfork(before, 0, 0);
    pid_t child = fork();
    if (child == 0) {
        struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &fault, 0);
        *(volatile int *)64 = 1;
        _exit(13);
    }
    int status;
    waitpid(child, &status, 0);
    printf(\"%d %d\\n\", WIFEXITED(status), WEXITSTATUS(status));
    fflush(stdout);
    status = system(\"echo from a shell; exit 5\");
    printf(\"%d\\n\", WEXITSTATUS(status));
    errno = 0;
    printf(\"%d %s\\n\", close(999), strerror(errno));
    setenv(\"WORD\", \"word\", 1);
    puts(getenv(\"WORD\"));
    fflush(stdout);
    execl(\"/bin/sh\", \"sh\", \"-c\", \"echo $WORD; kill -TERM $$\", (char *)0);
    return 1;
}
";
    let ran = same(source, &[], &[], "");
    assert_eq!(ran.output, "3 1\nprepare\n1 11\nfrom a shell\n5\n-1 Bad file descriptor\nword\nword\n");
}

#[test]
fn arguments_input_and_the_c_library_are_the_real_ones() {
    let source = "#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static int order(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }
static jmp_buf back;
static void jump(int depth) { if (depth) jump(depth - 1); else longjmp(back, 4); }
__attribute__((constructor(200))) static void second(int argc, char **argv) { printf(\"second of %d\\n\", argc); }
__attribute__((constructor(150))) static void first(void) { puts(\"first\"); }
__attribute__((destructor)) static void last(void) { puts(\"destructor\"); }
static void bye(void) { puts(\"bye\"); }
static void told(int status, void *text) { printf(\"%s %d\\n\", (char *)text, status); }
static double add(int n, ...) {
    va_list list;
    double sum = 0;
    va_start(list, n);
    while (n--) sum += va_arg(list, double);
    va_end(list);
    return sum;
}
int main(int argc, char **argv) {
    char *lines[100], line[100];
    int n = 0;
    atexit(bye);
    on_exit(told, \"told\");
    qsort(argv + 1, argc - 1, sizeof *argv, order);
    for (int i = 1; i < argc; i++) printf(\"%s%c\", argv[i], i + 1 < argc ? ' ' : '\\n');
    while (fgets(line, sizeof line, stdin)) lines[n++] = strdup(line);
    qsort(lines, n, sizeof *lines, order);
    for (int i = 0; i < n; i++) fputs(lines[i], stdout), free(lines[i]);
    int value = setjmp(back);
    if (!value) jump(3);
    printf(\"%d %.2f %s %5d|%-5s|%lld %g\\n\", value, add(3, 0.5, 1.25, 2.0), \"text\", 42, \"ab\", 1ll << 40, sqrt(2));
    int a, b;
    printf(\"%d %d %d\\n\", sscanf(\"12 34\", \"%d %d\", &a, &b), a, b);
    srand(7);
    int one = rand();
    srand(7);
    printf(\"%d %d\\n\", one == rand(), time(0) > 1700000000);
    fprintf(stderr, \"to stderr %s\\n\", strrchr(argv[0], '/') ? \"a path\" : \"a name\");
    exit(argc + 20);
}
";
    let ran = same(source, &["-lm"], &["pear", "apple", "fig"], "two\none\nthree\n");
    assert!(ran.output.starts_with("first\nsecond of 4\napple fig pear\none\nthree\ntwo\n4 3.75 text"), "{ran:?}");
    assert!(ran.output.ends_with("told 24\nbye\ndestructor\n"), "{ran:?}");
    same(source, &["-lm", "-static", "-masm=intel"], &["one"], "");
}

#[test]
fn ends_of_threads_are_the_real_ones() {
    let source = "#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t ready;
static mtx_t lock;
static void handler(void *text) { puts(text); }
static void make(void) { puts(\"once\"); pthread_key_create(&key, handler); }
static void *leaves(void *arg) {
    pthread_once(&once, make);
    pthread_setspecific(key, \"value of the key\");
    pthread_cleanup_push(handler, \"outer\");
    pthread_cleanup_push(handler, \"popped\");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(handler, \"inner\");
    pthread_exit(\"result\");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return 0;
}
static void *waits(void *arg) {
    pthread_cleanup_push(handler, \"cancelled\");
    sem_post(&ready);
    for (;;) pause();
    pthread_cleanup_pop(0);
    return 0;
}
static int c11(void *arg) { mtx_lock(&lock); mtx_unlock(&lock); return 6; }
int main(int argc, char **argv) {
    pthread_t thread;
    void *result;
    int status;
    thrd_t other;
    struct timespec past = {0, 0};
    pthread_create(&thread, 0, leaves, 0);
    pthread_join(thread, &result);
    puts(result);
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, waits, 0);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf(\"%d\\n\", result == PTHREAD_CANCELED);
    mtx_init(&lock, mtx_plain);
    thrd_create(&other, c11, 0);
    thrd_join(other, &status);
    printf(\"%d %d\\n\", status, sem_timedwait(&ready, &past) == -1 && errno == ETIMEDOUT);
    fflush(stdout);
    if (argc > 1) assert(argc == 0);
    pthread_exit(0);
}
";
    let ran = same(source, &[], &[], "");
    assert_eq!(
        (ran.status, ran.output.as_str()),
        (0, "once\npopped\ninner\nouter\nvalue of the key\nresult\ncancelled\n1\n6 1\n")
    );
    let failed = same(source, &[], &["fail"], "");
    assert!(failed.errors.contains("Assertion `argc == 0' failed"), "{failed:?}");
}

#[test]
fn what_a_check_refuses_is_done() {
    let source = "#include <stdio.h>
#include <stdlib.h>
static int shared;
int main(void) {
    unsigned a, b, c, d;
    __asm__ volatile(\"cpuid\" : \"=a\"(a), \"=b\"(b), \"=c\"(c), \"=d\"(d) : \"a\"(0));
    printf(\"%d\\n\", a > 0);
    __asm__ goto(\"jmp %l0\" : : : : there);
    puts(\"not here\");
there:
    __builtin_nontemporal_store(5, &shared);
    printf(\"%d\\n\", __builtin_nontemporal_load(&shared));
    return shared;
}
";
    assert_eq!(same(source, &[], &[], "").status, 5);
    let marks = "#include <fencehound.h>
#include <pthread.h>
#include <stdio.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
static int count;
static unsigned long one, other;
static void *body(void *arg) {
    for (int i = 0; i < 20000; i++) {
        __VERIFIER_atomic_begin();
        fh_atomic_begin();
        count++;
        fh_atomic_end();
        __VERIFIER_atomic_end();
        while (!fh_double_compare_and_swap(&one, &other, one, other, one + 1, other + 1));
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, body, 0), pthread_create(&b, 0, body, 0);
    pthread_join(a, 0), pthread_join(b, 0);
    fh_assume(0);
    printf(\"%d %lu %d\\n\", count, fh_choose(3), __VERIFIER_nondet_int());
    fflush(stdout);
    fh_assert(count == 0);
}
";
    let bench = Bench::new(&[("a.c", marks)]);
    bench.quietly("cc a.c -o program");
    let ran = ran(&Command::new(bench.path("program")).output().unwrap());
    assert_eq!((ran.status, ran.output.as_str()), (-1, "40000 0 0\n"));
    assert!(ran.errors.contains("Assertion `fh_assert' failed"), "{ran:?}");
}

#[test]
fn a_shared_library_is_one_too() {
    let library = "#include <stdio.h>
#include <pthread.h>
_Thread_local int own = 3;
static int loads;
__attribute__((constructor)) static void begin(void) { puts(\"library begins\"); }
__attribute__((destructor)) static void end(void) { puts(\"library ends\"); }
int use(void) { return own++ + loads++; }
";
    let program = "#include <pthread.h>
#include <stdio.h>
extern int use(void);
static void *body(void *arg) { printf(\"%d\\n\", use()); return 0; }
int main(void) {
    pthread_t t;
    use();
    pthread_create(&t, 0, body, 0);
    pthread_join(t, 0);
    printf(\"%d\\n\", use());
}
";
    let bench = Bench::new(&[("lib.c", library), ("a.c", program)]);
    bench.quietly("cc -shared -fPIC lib.c -o libuse.so");
    bench.quietly("cc a.c -L. -luse -Wl,-rpath,. -o program");
    let ran = ran(&bench.command(&bench.path("program"), &[]).output().unwrap());
    assert_eq!((ran.status, ran.output.as_str()), (0, "library begins\n4\n6\nlibrary ends\n"), "{ran:?}");
}

#[test]
fn functions_and_variables_are_one_whoever_calls_them() {
    let source = "#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
struct large { long parts[9]; char text[7]; };
typedef int operation(int);
static int doubled(int x) { return 2 * x; }
static int squared(int x) { return x * x; }
static operation *const TABLE[] = { doubled, squared };
static operation *kept = squared;
__attribute__((weak)) int replaced(void) { return 1; }
int other_name(void) __attribute__((alias(\"aim_of_alias\")));
int aim_of_alias(void) { return 4; }
static int added(int count, ...) {
    va_list all;
    int sum = 0;
    va_start(all, count);
    while (count--) sum += va_arg(all, int);
    va_end(all);
    return sum;
}
static struct large turned(struct large given) {
    struct large result = given;
    for (int i = 0; i < 9; i++) result.parts[i] = given.parts[8 - i];
    result.text[0] = 'T';
    return result;
}
static struct large (*volatile by_pointer)(struct large) = turned;
static int (*volatile adder)(int, ...) = added;
static int run(const char *code) {
    static void *labels[] = { &&add, &&twice, &&stop };
    static int runs;
    int value = 0;
    runs++;
    goto *labels[*code++ - '0'];
add: value += 3; goto *labels[*code++ - '0'];
twice: value = doubled(value); goto *labels[*code++ - '0'];
stop: return value * 10 + runs;
}
static jmp_buf out;
static void leave(int depth) { if (depth == 0) longjmp(out, 5); leave(depth - 1); }
static int counter(void) { static int count = 40; return ++count; }
static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static const char *const WORDS[] = { \"one\", \"two\" };
static _Thread_local int mine = 9, *where = 0;
_Atomic unsigned __int128 wide;
int main(void) {
    operation *volatile pointer = squared;
    assert(pointer == TABLE[1] && pointer == kept && kept != doubled);
    printf(\"%d %d %d\\n\", pointer(5), TABLE[0](5), replaced() + other_name());
    printf(\"%d %d\\n\", added(3, 1, 2, 3), adder(4, 1, 2, 3, 4));
    struct large one = { { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, \"abcdef\" }, two = by_pointer(one), three = turned(two);
    printf(\"%ld %s %ld %s\\n\", two.parts[0], two.text, three.parts[0], three.text);
    printf(\"%d %d\\n\", run(\"01012\"), run(\"00112\"));
    if (setjmp(out) == 0) leave(3); else puts(\"out\");
    printf(\"%d %s\\n\", counter() + 1, WORDS[1]);
    int numbers[] = { 5, 1, 4, 2 };
    qsort(numbers, 4, sizeof *numbers, by_size);
    where = &mine;
    *where += numbers[0];
    wide = wide + 7;
    printf(\"%d %d %d\\n\", numbers[3], mine, (int)wide);
    exit(added(2, 20, 3));
}
";
    let ran = same(source, &["-Wno-atomic-alignment", "-latomic"], &[], "");
    let wanted = "25 10 5\n6 10\n9 Tbcdef 1 Tbcdef\n181 242\nout\n42 two\n5 10 7\n";
    assert_eq!((ran.status, ran.output.as_str()), (23, wanted), "{ran:?}");
}

/// The bound is wide enough for a busy machine; a call for each access takes ten times as long.
/// C99's `inline` without `static` or `extern`: no other file has a body, and clang needs none where each call is inlined.
#[test]
fn the_body_of_an_inline_function_is_there() {
    let source = "#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int count;
__attribute__((always_inline)) inline int add(atomic_int *to, int by) { return atomic_fetch_add(to, by) + by; }
__attribute__((always_inline)) inline int twice(atomic_int *to, int by) { return add(to, by) + add(to, by); }
static void *work(void *unused) { for (int i = 0; i < 3; i++) twice(&count, 2); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    printf(\"%d\\n\", atomic_load(&count));
    return 0;
}
";
    // Two threads, three rounds, two additions of 2.
    assert_eq!(same(source, &[], &[], "").output, "24\n");
}

#[test]
fn accesses_cost_what_they_cost_without_hooks() {
    let source = "#include <stdio.h>
#include <string.h>
#define N 4096
static unsigned table[N], copy[N];
int main(void) {
    unsigned long sum = 0;
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < N; i++) table[i] = table[(i * 7 + round) % N] * 3 + (unsigned)i;
        memcpy(copy, table, sizeof copy);
        for (int i = 0; i < N; i++) sum += copy[i];
    }
    printf(\"%lu\\n\", sum);
}
";
    let bench = Bench::new(&[("a.c", source)]);
    bench.quietly("cc -O2 a.c -o ours");
    assert_eq!(ran(&bench.command("clang-19".as_ref(), &["-O2", "a.c", "-o", "theirs"]).output().unwrap()).status, 0);
    let ticks = |program: &str| {
        let script =
            format!("./{program} > {program}.out; read -r -a all < /proc/self/stat; echo $((all[15] + all[16]))");
        let ran = ran(&bench.command("bash".as_ref(), &["-c", &script]).output().unwrap());
        ran.output.trim().parse::<u64>().unwrap()
    };
    let least = |program: &str| (0..3).map(|_| ticks(program)).min().unwrap();
    let (ours, theirs) = (least("ours"), least("theirs"));
    assert_eq!(bench.read("ours.out"), bench.read("theirs.out"));
    assert!(ours <= 4 * theirs.max(2), "{ours} ticks, and {theirs} without hooks");
}
