/* Memory as a library of lock-free code hands it out. */
#define CALL static inline

CALL int header_load(const volatile int *from) { return *from; }

CALL void header_store(volatile int *to, int value) { *to = value; }
