// Modelled, known, unknown and indirect calls; a definition of a modelled name; main.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdarg.h>
int g;
char shared[10];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void (*pointer)(void);
void unknown(int, char *, const char *, void (*)(void));
extern void defined_below(void);
void reach_error(void) { g = 1; } //> store4 g
__attribute__((pure)) int pure_function(void) { return g; } //> load4 g
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; } //> load4 *a; load4 *b

int sum(int count, ...) {
    va_list arguments;
    int total = 0;
    va_start(arguments, count);
    for (int k = 0; k < count; k++)
        total += va_arg(arguments, int);
    va_end(arguments);
    return total;
}

int vsum(int count, va_list arguments) {
    int total = 0;
    for (int k = 0; k < count; k++)
        total += va_arg(arguments, int);
    return total;
}

int main(int argc, char **argv) {
    int *p = malloc(8); //> site
    *p = 1; //> store4 *p
    p = realloc(p, 16); //> site
    free(p); //> site
    pthread_mutex_lock(&mutex); //> site
    pthread_mutex_unlock(&mutex); //> site
    reach_error();
    pointer = defined_below; //> store8 pointer
    pointer(); //> load8 pointer; site
    printf("%s\n", shared); //> site
    unknown(1, shared, "constant", reach_error); //> external unknown unknown; external_pointer; external_returns
    g = atoi(argv[0]); //> load8 *argv; site; store4 g
    g = pure_function() + pure_function(); //> store4 g
    qsort(shared, 2, 4, compare); //> site
    g = sum(2, 3, 4); //> store4 g
    puts(argv[0]); //> load8 *argv; site
    sleep(1); //> site
    exit(0); //> site
}

void defined_below(void) { g = 2; } //> store4 g
