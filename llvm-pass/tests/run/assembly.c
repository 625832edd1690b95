// What inline assembly computes.
#undef NDEBUG
#include <assert.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdatomic.h>
unsigned a = 5; unsigned long b = 7; unsigned char c = 9; uint16_t d = 11;
unsigned long bits[4];
struct pair { uint64_t lo, hi; } __attribute__((aligned(16)));
struct pair p = {1, 2};
struct dummy { unsigned long v[10]; };
double real = 1.5;
float single = 2.5f;
static bool cas(unsigned *t, unsigned old, unsigned new) { char r;
 __asm__ volatile("lock; cmpxchgl %3, %1; sete %0" : "=q"(r), "=m"(*t) : "a"(old), "r"(new), "m"(*t) : "memory","cc"); return r; }
static unsigned char dpdk(volatile uint32_t *dst, uint32_t exp, uint32_t src){ uint8_t res;
 __asm__ volatile("lock ; cmpxchgl %[src], %[dst];" "sete %[res];" : [res] "=a"(res), [dst] "=m"(*dst) : [src] "r"(src), "a"(exp), "m"(*dst) : "memory"); return res; }
static int flag(unsigned *t){ int r; __asm__("lock decl %1" : "=@ccz"(r), "+m"(*t)); return r; }
static bool cas16(struct pair *t, struct pair *e, struct pair n){ bool z;
 __asm__ volatile("lock cmpxchg16b %1; setz %0" : "=q"(z), "+m"(*t), "+a"(e->lo), "+d"(e->hi) : "b"(n.lo), "c"(n.hi) : "memory","cc"); return z; }
int main(void){
 unsigned x = 3;
 __asm__ volatile("xchgl %0, %1" : "+m"(a), "+r"(x)); assert(x==5 && a==3);
 unsigned long y = 10; __asm__ volatile("lock; xaddq %0, %1" : "+r"(y), "+m"(b)); assert(y==7 && b==17);
 __asm__ volatile("lock; addb %1, %0" : "=m"(*(struct dummy*)&c) : "iq"(250) : "memory"); assert(c==(unsigned char)(9+250));
 __asm__ volatile("lock; orw %w1, %0" : "+m"(d) : "r"(0x30)); assert(d==(11|0x30));
 assert(cas(&a,3,8) && a==8); assert(!cas(&a,3,9) && a==8); assert(dpdk(&a,8,1) && a==1);
 assert(flag(&a) && a==0); assert(!flag(&a) && a==-1u);
 bool was; __asm__ volatile("lock; btsq %2, %1; setc %0" : "=q"(was), "+m"(*bits) : "Ir"(65l)); assert(!was && bits[1]==2);
 __asm__ volatile("lock btcl %2,%1\n\tsbbl %0,%0" : "=r"(x), "+m"(*(unsigned*)bits) : "Ir"(33)); 
 assert(x==0 && bits[0]==(1ul<<33));
 struct pair e = {1,2}; assert(cas16(&p,&e,(struct pair){3,4}) && p.lo==3 && p.hi==4);
 assert(!cas16(&p,&e,(struct pair){5,6}) && e.lo==3 && e.hi==4);
 unsigned v; __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(a)); assert(v==-1u);
 __asm__ volatile("movl %1, %0" : "=m"(a) : "er"(77)); assert(a==77);
 __asm__ volatile("lock; negl %0" : "+m"(a)); assert(a==-77u); __asm__ volatile("lock; notl %0" : "+m"(a)); assert(a==76);
 uint64_t lo, hi; __asm__ volatile("movq 0(%2), %0; movq 8(%2), %1" : "=r"(lo), "=r"(hi) : "r"(&p)); assert(lo==3&&hi==4);
 __asm__ volatile("lock; addl $0,-128(%%rsp)" ::: "memory");
 __asm__ volatile("lock; addl $0, 0(%% rsp)" ::: "memory");
 double other = 2.25; __asm__ volatile("xchgq %0, %1" : "+m"(real), "+q"(other)); assert(real == 2.25 && other == 1.5);
 bool same; __asm__ volatile("lock cmpxchgq %3, %0" : "+m"(real), "=@ccz"(same), "+a"(other) : "q"(9.0));
 assert(!same && other == 2.25 && real == 2.25);
 float less = 0.5f; __asm__ volatile("xchgl %0, %1" : "+m"(single), "+r"(less)); assert(single == 0.5f && less == 2.5f);
 __asm__ volatile("mov %% rdx, %% rcx; mov %% rax, %% rbx; lock cmpxchg16b %2" : "=a"(lo), "=d"(hi) : "m"(p) : "rbx", "rcx", "memory", "cc");
 assert(lo == p.lo && hi == p.hi);
 unsigned __int128 own = 1; (void)own;
 printf("%u %lu %u %u %lu %lu\n", a, b, c, d, p.lo, p.hi);
 return 0; }
