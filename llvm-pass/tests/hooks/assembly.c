// Inline assembly as lock-free C spells it.
#include <stdbool.h>
#include <stdint.h>
unsigned word;
unsigned char byte;
unsigned short two;
unsigned long eight;
struct dummy { unsigned long words[10]; };
struct pair { uint64_t low, high; };
struct pair pair __attribute__((aligned(16)));

void nothing(void) {
    asm volatile("" ::: "memory");
    asm volatile("pause" ::: "memory");
    asm volatile("rep; nop");
    asm volatile("nop\n\tpause");
    asm volatile("" : "+m"(word));
    asm volatile("prefetcht0 %0" : : "m"(word));
}

void fences(void) {
    asm volatile("mfence" ::: "memory"); //> fence seq_cst
    asm volatile("lfence" ::: "memory"); //> fence instructions
    asm volatile("sfence" ::: "memory"); //> fence stores
    asm volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc"); //> fence seq_cst
    asm volatile("lock orl $0, -4(%%rsp)" ::: "memory", "cc"); //> fence seq_cst
    int local = 0;
    asm volatile("lock; addl $0, 0(%% rsp)" ::: "memory", "cc"); //> fence seq_cst
    asm volatile("lock; addl $0, %0" : "+m"(local)); //> fence seq_cst
    asm volatile("sync" ::: "memory"); //> fence seq_cst
    asm volatile("lwsync" ::: "memory"); //> fence acq_rel
    asm volatile("isync" ::: "memory"); //> fence instructions
    asm volatile("eieio" ::: "memory"); //> fence stores
    asm volatile("dmb ish" ::: "memory"); //> fence seq_cst
    asm volatile("dmb ishst" ::: "memory"); //> fence stores
    asm volatile("dmb ishld" ::: "memory"); //> fence loads
    asm volatile("isb" ::: "memory"); //> fence instructions
    unsigned a = 0, b, c, d;
    asm volatile("cpuid" ::: "eax", "ebx", "ecx", "edx"); //> fence seq_cst; external cpuid known
    asm volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); //> fence seq_cst; external cpuid known
}

unsigned moves(void) {
    unsigned value;
    asm volatile("movl %1, %0" : "=r"(value) : "m"(word)); //> load4 word
    asm volatile("movb %1, %0" : "=m"(byte) : "iq"(3)); //> store1 byte
    asm volatile("movw %w1, %0" : "=m"(two) : "r"(value)); //> store2 two
    asm volatile("mov %1, %0" : "=m"(eight) : "r"(5ul)); //> store8 eight
    return value;
}

unsigned locked(unsigned value, uint64_t wide) {
    unsigned char zero;
    bool carry;
    int equal;
    asm volatile("xchgl %0, %1" : "+r"(value), "+m"(word)); //> rmw4 exchange seq_cst word
    asm volatile("xchgb %b0, %1" : "+q"(value), "+m"(*(struct dummy *)&byte)); //> rmw1 exchange seq_cst byte
    asm volatile("lock; xaddq %0, %1" : "+r"(wide), "+m"(eight) :: "memory", "cc"); //> rmw8 add seq_cst eight
    asm volatile("lock; incl %0" : "+m"(word)); //> rmw4 add seq_cst word
    asm volatile("lock\n\tdecl %0; sete %1" : "+m"(word), "=qm"(zero)); //> rmw4 sub seq_cst word
    asm volatile("lock; addw %1, %0" : "+m"(two) : "ir"((short)7)); //> rmw2 add seq_cst two
    asm volatile("lock subq %1, %0" : "+m"(eight) : "er"(wide)); //> rmw8 sub seq_cst eight
    asm volatile("lock; orb %b1, %0" : "+m"(byte) : "iq"(value)); //> rmw1 or seq_cst byte
    asm volatile("lock; andl %1, %0" : "=m"(word) : "r"(value), "m"(word)); //> rmw4 and seq_cst word
    asm volatile("lock; xorl %1, %0" : "+m"(word) : "r"(value)); //> rmw4 xor seq_cst word
    asm volatile("lock; negl %0" : "+m"(word)); //> rmw4 negate seq_cst word
    asm volatile("lock; notl %0" : "+m"(word)); //> rmw4 xor seq_cst word
    asm volatile("lock btsl %2, %0; setc %1" : "+m"(word), "=q"(carry) : "Ir"(3)); //> rmw4 or seq_cst word
    asm volatile("lock btrl $3, %0" : "+m"(word)); //> rmw4 and seq_cst word
    asm volatile("lock btcq %1, %0" : "+m"(eight) : "r"(wide)); //> rmw8 xor seq_cst eight
    asm volatile("lock; cmpxchgl %2, %1" : "+a"(value), "+m"(word) : "r"(4) : "memory"); //> cas4 seq_cst seq_cst word
    asm volatile("lock cmpxchg %2, %1" : "=@ccz"(equal), "+m"(eight), "+r"(wide) : "a"(wide)); //> cas8 seq_cst seq_cst eight
    asm volatile("lock; cmpxchg16b %1; setz %0" : "=q"(zero), "+m"(pair) : "a"(1l), "d"(2l), "b"(3l), "c"(4l)); //> atomic_cas 16 seq_cst seq_cst pair
    asm volatile("lock; cmpxchg8b %0" : "+m"(eight) : "a"(1), "d"(2), "b"(3), "c"(4)); //> atomic_cas 8 seq_cst seq_cst eight
    return value + zero + carry + equal;
}

void plain(void) {
    asm volatile("incl %0" : "+m"(word)); //> load4 word; store4 word
    asm volatile("addl %1, %0" : "+m"(word) : "r"(2)); //> load4 word; store4 word
    uint64_t low, high;
    asm volatile("movq (%2), %0; movq 8(%2), %1" : "=r"(low), "=r"(high) : "r"(&pair)); //> load8; load8
}

unsigned private(unsigned value) {
    unsigned own = 1, old = 1;
    asm volatile("movl %1, %0" : "=m"(own) : "r"(value));
    asm volatile("lock; cmpxchgl %2, %1" : "+a"(old), "+m"(own) : "r"(4)); //> fence seq_cst
    return own + old;
}

// Blanks after the sign of a register, and halves of a pair through registers by name.
bool spaced(struct pair *expected, uint64_t low, uint64_t high) {
    bool done;
    asm volatile("movq 0(%4), %% rax; movq 8( %4 ), %% rdx;" //> load8 pair; load8 pair; atomic_cas 16 seq_cst seq_cst pair
                 "lock; cmpxchg16b %0; setz %1"
                 : "+m"(pair), "=q"(done)
                 : "b"(low), "c"(high), "r"(expected)
                 : "memory", "cc", "rax", "rdx");
    return done;
}

void both_halves(uint64_t into[2]) {
    asm volatile("mov %% rdx, %% rcx; mov %% rax, %% rbx; lock cmpxchg16b %2" //> atomic_cas 16 seq_cst seq_cst pair; store8 *into; store8 into[1]
                 : "=a"(into[0]), "=d"(into[1])
                 : "m"(pair)
                 : "rbx", "rcx", "memory", "cc");
}

// Floating-point numbers in general registers.
double real;
double swapped(double value) {
    asm volatile("xchgq %0, %1" : "+m"(real), "+q"(value)); //> rmw8 exchange seq_cst real
    return value;
}
double fetched(void) {
    double value;
    asm volatile("movq %1, %0" : "=q"(value) : "m"(real)); //> load8 real
    return value;
}
void put(double value) {
    asm volatile("movq %1, %0" : "=m"(real) : "q"(value)); //> store8 real
}
float single;
float half_swapped(float value) {
    asm volatile("xchgl %0, %1" : "+m"(single), "+r"(value)); //> rmw4 exchange seq_cst single
    return value;
}
bool changed(double from, double to) {
    bool equal;
    asm volatile("lock cmpxchgq %3, %0" : "+m"(real), "=@ccz"(equal), "+a"(from) : "q"(to)); //> cas8 seq_cst seq_cst real
    return equal;
}
