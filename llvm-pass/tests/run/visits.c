// What the hooks of loops are told.
#include <stdio.h>
#include <string.h>
int left, zero, one = 1, flips;
struct pair { int a, b; } pair;
static _Thread_local int tally;
void count(void) { tally++; }
void nothing(void) { zero = 0; }

void spin(void) {
    left = 3;
    while (left--) //> visits E S S S
        ;
}

void counter(void) {
    for (int i = 0; i < 3; i++) //> visits E C C C
        zero = 0;
}

void same_value(void) {
    int k = 5;
    left = 3;
    while (left--) //> visits E S S S
        k = 5 + zero;
    printf("%d\n", k);
}

void late_change(void) {
    int k = 0;
    left = 4;
    while (left--) //> visits E S S C S
        if (left == 1)
            k = 7;
    printf("%d\n", k);
}

void floating(void) {
    double x = 0.5;
    left = 3;
    while (left--) //> visits E S S S
        x += zero;
    printf("%g\n", x);
    float y = 0;
    left = 2;
    while (left--) //> visits E C C
        y += one;
    printf("%g\n", y);
}

void pointers(void) {
    int *p = &zero;
    left = 4;
    while (left--) //> visits E C C C C
        p = p == &zero ? &one : &zero;
    printf("%d\n", *p);
}

void array(void) {
    int a[4] = {0};
    left = 4;
    while (left--) //> visits E C S S S
        a[one] = 9;
    printf("%d\n", a[1]);
}

void scratch(void) {
    // Written anew in each iteration before it is read: no state.
    left = 3;
    do { //
        struct pair copy = pair; //> visits E S S
        flips += copy.a + copy.b;
    } while (--left);
}

void kept(void) {
    // Read before it is written again: state.
    struct pair copy = {0, 0};
    int sum = 0;
    for (left = 3; left; left--) { //> visits E C C C
        sum = sum + copy.a;
        pair.a++;
        copy = pair;
    }
    printf("%d\n", sum);
}

void variable_length(int n) {
    int a[n];
    memset(a, 0, sizeof a);
    left = 4;
    while (left--) //> visits E C S S S
        a[one] = 3;
    printf("%d\n", a[1]);
}

void large(void) {
    static int shared;
    int a[500] = {0};
    left = 4;
    while (left--) //> visits E C S C S
        a[one + left / 2] = 3;
    printf("%d\n", a[1] + shared);
}

void called(void) {
    left = 2;
    while (left--) //> visits E C C
        count();
    printf("%d\n", tally);
    left = 2;
    while (left--) //> visits E S S
        nothing();
}

void nested(void) {
    left = 2;
    while (left--) { //> visits E S S
        for (int i = 0; i < 2; i++) //> visits E C C E C C
            zero = 0;
    }
}

void jump_in(int n) {
    left = 3;
    if (n)
        goto middle;
    for (;;) {
        zero = 0;
    middle:
        // A loop with two ways in: not watched.
        if (!--left)
            break;
    }
}

void two_ways_back(void) {
    int k = 0;
    left = 5;
again:
    left--; //> visits E C S S S
    if (left == 3)
        goto again;
    if (left > 0) {
        k = 1;
        goto again;
    }
    printf("%d\n", k);
}

int main(void) {
    spin(), counter(), same_value(), late_change(), floating(), pointers(), array(), scratch(), kept();
    variable_length(3 + zero), large(), called(), nested(), jump_in(one), two_ways_back();
    printf("%d %d\n", flips, pair.a);
}
