// Computed gotos, switches, ternaries, short circuits, inline functions, compound literals.
int a, b, c, d;
static inline int twice(int x) { return 2 * x + a; } //> load4 a
__attribute__((always_inline)) static inline void set(int *p) { *p = 1; }
__attribute__((noinline)) int kept(int x) { return x + b; } //> load4 b

int computed(int n) {
    static void *const labels[] = {&&zero, &&one, &&end};
    goto *labels[n];
zero:
    a = 1; //> store4 a
    goto *labels[b]; //> loop; load4 b
one:
    c++; //> load4 c; store4 c
    goto *labels[b]; //> load4 b
end:
    return d; //> load4 d
}

int ternary(int n) {
    int *p = n ? &a : &b;
    *p = n ? c : d; //> load4 c; load4 d; store4 *p
    return *(n ? &c : &d); //> load4
}

int sequence(int n) {
    set(&a); //> store4 a
    return (a = n, b = n) + twice(n) + kept(n); //> store4 a; store4 b
}

int literal(void) {
    int *p = (int[]){1, 2, 3};
    struct { int x, y; } q = {.y = a}; //> load4 a
    return p[1] + q.y;
}

int statement(void) {
    return ({ int t = a; t + 1; }); //> load4 a
}

_Bool truth(void) { return a; } //> load4 a

long address(void) { return (long)&a + (&b - &c); }
