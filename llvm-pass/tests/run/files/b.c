#include <stdlib.h>
#include "shared.h"
static int hidden = 20;
int helper(int n) { return shared += n * hidden; }
int tls_of_b(void) { return tls *= 2; }
__attribute__((weak)) int weak_one(void) { return 1; }
int with_callback(int (*f)(int)) { return f(shared) + f(1); }
void change(int *p) { *p += shared; }
int strnlen_like(const char *s) { return *s ? 1 + strnlen_like(s + 1) : 0; }
extern inline int inline_one(int n);
int pure_one(void) { return shared++; }
