// An unsupported operation ends the program where it is reached, and is named.
#include <stdio.h>
int x;
int main(void) {
    x = 1;
    printf("reached\n");
    fflush(stdout);
    if (x == 1)
        asm volatile("ud2"); //> refused inline assembly `ud2`
    printf("not reached\n");
}
