//@ why: What a program prints while it is explored goes nowhere, so that 100 MB of it do no harm,
//@      and no printing is an event.
//@ run:
//@ verdict: clean
//@ executions: 1
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[1001];
    memset(line, 'x', 1000);
    line[1000] = '\0';
    for (int i = 0; i < 100 * 1000; i++)
        puts(line);
    fprintf(stderr, "%d lines\n", 100 * 1000);
    return 0;
}
