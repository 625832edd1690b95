// Which variables are private.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
int g;
int *keep;
struct s { int a, b[3]; };
struct s shared;
void other(int *);
void *work(void *);

int locals(int n) {
    int array[4] = {0};
    struct s one = {1, {2, 3, 4}};
    volatile int v = n;
    for (int k = 0; k < 4; k++)
        array[k] = k + v;
    struct s *pointer = &one;
    pointer->b[n & 1] = array[n & 3];
    int *either = n ? &array[1] : &array[2];
    *either = 5;
    return one.b[n & 1] + array[n & 3] + *either;
}

int threads(void) { //> local
    pthread_t a, b, many[2];
    void *result;
    pthread_create(&a, 0, work, 0); //> site
    pthread_create(&b, 0, work, 0); //> site
    for (int k = 0; k < 2; k++) //> loop
        pthread_create(&many[k], 0, work, &many); //> site
    pthread_join(a, &result); //> site
    pthread_join(b, 0); //> site
    return result == 0;
}

int handed_over(void) { //> local
    pthread_t a;
    int value = 1; //> store4 value
    pthread_create(&a, 0, work, &value); //> site
    pthread_join(a, 0); //> site
    return value; //> load4 value
}

int kept(void) { //> local
    int local = 2; //> store4 local
    keep = &local; //> store8 keep
    return local; //> load4 local
}

void passed(void) { //> local
    int local = 2; //> store4 local
    other(&local); //> external other unknown; external_pointer; external_returns
    g = local; //> load4 local; store4 g
}

void mixed(int n) { //> local
    int local = 1; //> store4 local
    int *p = n ? &local : &g;
    *p = 2; //> store4 *p
    local = 3; //> store4 local
}

int mixed_load(int n) { //> local
    int local = 1; //> store4 local
    int *p = n ? &local : &g;
    return *p; //> load4 *p
}

void numbers(void) { //> local
    int local = 1; //> store4 local
    long number = (long)&local;
    g = number; //> store4 g
}

void known(int n) {
    struct timespec now;
    char text[20];
    clock_gettime(CLOCK_REALTIME, &now); //> site
    snprintf(text, sizeof text, "%ld", now.tv_sec); //> site
    printf("%s %d\n", text, g); //> load4 g; site
    strcpy(text, "x"); //> site
    g = strlen(text); //> site; store4 g
}

void found(char c) { //> local
    char text[4] = "abc"; //> write 4 text
    char *where = strchr(text, c); //> site
    *where = 1; //> store1 *where
}

int compared(void) {
    int a = 1, b = 2;
    return &a == &b;
}

static int recursive(int n) {
    int below[2] = {n, 0};
    if (n)
        below[1] = recursive(n - 1);
    return below[0] + below[1];
}

int entry(int n) { return recursive(n); }
