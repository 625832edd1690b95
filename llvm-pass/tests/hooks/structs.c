// Structs, unions, arrays, and copies of them.
#include <string.h>
struct big { long head; int items[6]; };
struct small { int a, b; };
union either { int i; float f; char bytes[8]; };
struct big one, two, several[3];
struct small pair;
union either mix;
long double wide;
__int128 huge;
typedef float vector __attribute__((vector_size(16)));
vector lanes;
_Complex double complex_number;
char text[16];
struct { struct small inner; char tail; } nested[2];

void fields(int n) {
    one.head = 1; //> store8 one.head
    one.items[2] = 2; //> store4 one.items[2]
    one.items[n] = 3; //> store4 one.items[…]
    several[1].head = 4; //> store8 several[1].head
    nested[1].inner.b = 5; //> store4 nested[1].inner.b
    mix.f = 1.5f; //> store4 mix.i
    mix.bytes[4] = 2; //> store1 mix.bytes[4]
}

void copies(void) {
    one = two; //> copy 32 one
    several[2] = one; //> copy 32 several[2]
    pair = (struct small){1, 2}; //> write 8 pair
}

long into_local(void) {
    struct big local = two; //> read 32 two
    return local.head;
}

void from_local(int n) {
    struct big local;
    local.head = n;
    for (int k = 0; k < 6; k++)
        local.items[k] = k;
    two = local; //> write 32 two
}

void whole(void) {
    wide = 2; //> write 10 wide
    wide += 1; //> read 10 wide; write 10 wide
    huge = 3; //> write 16 huge
    huge++; //> read 16 huge; write 16 huge
    lanes = lanes + 1; //> read 16 lanes; write 16 lanes
    complex_number = 1; //> store8 complex_number; store8 complex_number
}

void functions(int n) {
    memcpy(text, &one, 8); //> copy 8 text
    memmove(text, text + 1, n); //> copy ? text[0]
    memset(text, 0, sizeof text); //> fill 16 text
    memset(&one, n, sizeof one); //> fill 32 one
    char local[8];
    memset(local, n, 8);
    memcpy(local, text, 8); //> read 8 text
    memcpy(text + 2, local, 4); //> write 4 text[2]
    memcpy(text, "constant", 8); //> write 8 text
    memcpy(text, local, 0);
}

struct big by_value(struct big argument) { return argument; } //> write 32

int pass(void) { //> local
    struct big result = by_value(one); //> read 32 one
    return result.items[1]; //> load4 result.items[1]
}

int small_by_value(struct small argument) { return argument.a; }

int pass_small(void) { return small_by_value(pair); } //> read 8 pair

struct small back(void) { return pair; } //> read 8 pair

struct node { struct node *next; int value; } *list;

int walk(void) {
    int sum = 0;
    for (struct node *n = list; n; n = n->next) //> load8 list; load8 n->next; loop
        sum += n->value; //> load4 n->value
    return sum;
}

int variable_length(int n) {
    int sizes[n];
    for (int k = 0; k < n; k++)
        sizes[k] = k;
    return sizes[n - 1];
}
