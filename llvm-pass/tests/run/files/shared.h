extern int shared;
extern _Thread_local int tls;
int helper(int), tls_of_b(void), weak_one(void), with_callback(int (*)(int)), strnlen_like(const char *);
void change(int *);
int pure_one(void);
inline int inline_one(int n) { return n + shared; }
