// An unsupported operation ends the program where it is reached, and is named.
#include <stdio.h>
int x;
int main(void) {
    x = 1;
    printf("reached\n");
    fflush(stdout);
    unsigned low = 0;
    if (x == 1)
        asm volatile("cpuid" : "=a"(low) : "a"(0) : "ebx", "ecx", "edx"); //> refused inline assembly `cpuid`
    printf("%d\n", low);
}
