// Which loops get a hook.
#include <math.h>
int flag, turn, data[4];
void step(void);

void spin(void) {
    while (!flag) //> loop; load4 flag
        ;
}

int compute(int n) {
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += k * k;
    return sum;
}

void nested(int n) {
    for (int k = 0; k < n; k++) //> loop
        for (int m = 0; m < 4; m++) { //> loop
            data[m] = k; //> store4 data[…]
        }
}

void inner_only(int n) {
    int private[8];
    for (int k = 0; k < n; k++) { //> loop
        for (int m = 0; m < 8; m++)
            private[m] = k;
        turn = private[k & 7]; //> store4 turn
    }
}

void forever(void) {
    for (;;) {
        if (flag == 1) //> loop; load4 flag
            break;
        if (flag == 2) //> load4 flag
            return;
    }
}

void repeat(void) {
    do
        turn++; //> loop; load4 turn; store4 turn
    while (turn < 3); //> load4 turn
}

void jumps(void) {
again:
    if (flag) //> loop; load4 flag
        goto again;
}

void calls(int n) {
    while (n--) //> loop
        step(); //> external step unknown
}

static inline void pause(void) {
    __asm__ volatile("" ::: "memory");
}

static inline void back_off(int n) {
    for (int k = 0; k < n; k++)
        pause();
}

static inline void look(void) {
    if (flag) //> load4 flag
        back_off(2);
}

void call_quiet(int n) {
    while (n--)
        back_off(n);
    for (int k = 0; k < 2; k++) //> loop
        look();
}

double maths(int n) {
    double x = 0;
    while (n--) //> loop
        x += sin(n); //> external sin known
    return x;
}

void into(int n) {
    if (n)
        goto middle;
    while (!flag) { //> load4 flag
        turn = 1; //> store4 turn
    middle:
        // Entered elsewhere than at its beginning: what it does cannot be compared.
        data[0] = 2; //> store4 data[0]
    }
}

int cleaned(void) {
    for (;;) {
        int local[2] = {flag, turn}; //> loop; load4 flag; load4 turn
        if (local[local[1] & 1])
            continue;
        if (local[0] == 2)
            return local[1];
    }
}

int choose(int n) {
    for (;;) {
        switch (n) { //> loop
        case 0:
            n = flag; //> load4 flag
            break;
        case 1:
            return turn; //> load4 turn
        default:
            n--;
        }
    }
}
