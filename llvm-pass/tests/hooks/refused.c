// What is refused by name and line.
#include <setjmp.h>
#include <stdatomic.h>
#include <unistd.h>
#include <spawn.h>
jmp_buf buffer;
_Atomic __int128 huge;
struct odd { char bytes[3]; };
_Atomic struct odd three;
_Atomic _Float16 half;
_Atomic long double wide;
unsigned word;

void assembly(void) {
    unsigned a = 1;
    asm volatile("int3"); //> unsupported inline assembly `int3`
    asm volatile("1: lock\n incl %0\n jz 1b" : "+m"(word)); //> unsupported inline assembly `1: lock; incl %0; jz 1b`
    asm volatile("sete %b0" : "+r"(a)); //> unsupported inline assembly `sete %b0`
    asm volatile("incl %%fs:0(%0)" : : "r"(&word)); //> unsupported inline assembly `incl %%fs:0(%0)`
    asm volatile("rdtsc" : "=a"(word) : : "edx"); //> external rdtsc unknown; store4 word
    asm volatile("cmpxchg16b %0" : "+m"(huge)); //> unsupported inline assembly `cmpxchg16b %0`
}

int asm_goto(void) {
    asm goto("jmp %l0" : : : : away); //> unsupported asm goto
    return 0;
away:
    return 1;
}

void barrier(void) {
    asm volatile("" : "+m"(word));
}

void wide_atomics(void) {
    half++; //> unsupported an atomic operation on a number of this type half
    __builtin_nontemporal_store(1, &word); //> unsupported a non-temporal store word
    word = __builtin_nontemporal_load(&word); //> unsupported a non-temporal load word; store4 word
}

int jumps(void) {
    if (setjmp(buffer)) //> setjmp
        return 1;
    longjmp(buffer, 1); //> site
}

int processes(void) { //> local
    char *none[] = {0}; //> fill 8 none[0]
    if (fork() == 0) //> unsupported the function `fork`
        execv("x", none); //> unsupported the function `execv`
    return 0;
}
