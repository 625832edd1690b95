// What is refused by name and line.
#include <setjmp.h>
#include <stdatomic.h>
#include <unistd.h>
#include <spawn.h>
jmp_buf buffer;
_Atomic __int128 huge;
struct odd { char bytes[3]; };
_Atomic struct odd three;
_Atomic float number;
_Atomic long double wide;
unsigned word;

void assembly(void) {
    unsigned a;
    asm volatile("rdtsc" : "=a"(a) : : "edx"); //> unsupported inline assembly `rdtsc`
    word = a; //> store4 word
    asm("xchgl %0, %1" : "+r"(a), "+m"(word)); //> unsupported inline assembly `xchgl $0, $1`
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

void wide_atomics(void) { //> local
    huge = 1; //> unsupported an atomic access of a size or alignment that needs the library function `__atomic_store`; write 16
    number++; //> unsupported an atomic floating-point operation number
}

int jumps(void) {
    if (setjmp(buffer)) //> setjmp
        return 1;
    longjmp(buffer, 1); //> site
}

int processes(void) { //> local
    char *none[] = {0}; //> fill 8
    if (fork() == 0) //> unsupported the function `fork`
        execv("x", none); //> unsupported the function `execv`
    return 0;
}
