/* The hooks: what code instrumented by the pass calls, and what the runtime defines.
 *
 * The pass (llvm-pass) and the runtime (runtime/src) both follow this file. A user never includes
 * it: the user's header is fencehound.h.
 *
 * Every symbol begins with __fh_, so that none can meet a symbol of the program.
 */
#ifndef FENCEHOUND_HOOKS_H
#define FENCEHOUND_HOOKS_H

#include <stddef.h>
#include <stdint.h>

/* A place in a function. 24 bytes. */
struct fh_frame {
    const char *file;     /* as the compiler was given it (DIFile's name) */
    const char *function; /* its name in the source */
    uint32_t line;        /* 1, 2, ...; 0 if unknown */
    uint16_t column;      /* 1, 2, ...; 0 if unknown */
    uint16_t unused;      /* 0 */
};

/* One place in the source where a hook is called: a record in section "fh_sites", so that
 * __start_fh_sites and __stop_fh_sites enclose an array of them over all linked files. 40 bytes. A
 * hook may have got where it is through functions whose bodies stand in the place of their calls:
 * then `stack` has each of these places, innermost first, and `file`, `function`, `line` and
 * `column` are of the first one that is in no wrapper (llvm-pass/src/wrappers.rs). */
struct fh_site {
    const char *file;     /* as the compiler was given it (DIFile's name) */
    const char *function; /* the source name of the function, "" if unknown */
    const char
        *expression; /* what is accessed as the program writes it (`flag`, `node->next`), or "" */
    const struct fh_frame *stack;   /* of `frames` elements; null if there are none */
    const struct fh_object *object; /* what is accessed, if it is known; else null */
    uint64_t offset;                /* how many bytes into it */
    uint32_t line;                  /* 1, 2, ...; 0 if unknown */
    uint16_t column;                /* 1, 2, ...; 0 if unknown */
    uint16_t frames;                /* 0, or at least 2 */
};

/* A local variable, or what a pointer to a struct or union points to. */
struct fh_object {
    const char *name;    /* of the variable, or of the type */
    const char *members; /* runtime/abi/src/members.rs; "" if they are not known */
    uint64_t size;       /* in bytes */
    uint64_t sort;       /* FH_OBJECT_LOCAL or FH_OBJECT_TYPE */
};
enum { FH_OBJECT_LOCAL = 0, FH_OBJECT_TYPE = 1 };

/* Plain and volatile accesses of 1, 2, 4 and 8 bytes, any alignment. */
uint8_t __fh_load1(const void *address, const struct fh_site *site);
uint16_t __fh_load2(const void *address, const struct fh_site *site);
uint32_t __fh_load4(const void *address, const struct fh_site *site);
uint64_t __fh_load8(const void *address, const struct fh_site *site);
void __fh_store1(void *address, uint8_t value, const struct fh_site *site);
void __fh_store2(void *address, uint16_t value, const struct fh_site *site);
void __fh_store4(void *address, uint32_t value, const struct fh_site *site);
void __fh_store8(void *address, uint64_t value, const struct fh_site *site);

/* Plain accesses of any other size (vectors, long double, i128, aggregates, memcpy with one private
 * side): one event per naturally aligned piece of at most 8 bytes. `into` and `from` are private.
 */
void __fh_read(const void *address, void *into, uint64_t length, const struct fh_site *site);
void __fh_write(void *address, const void *from, uint64_t length, const struct fh_site *site);

/* memcpy, memmove and memset where both sides (the one side) may be shared. `copy` is memmove. */
void __fh_copy(void *to, const void *from, uint64_t length, const struct fh_site *site);
void __fh_fill(void *to, uint32_t byte, uint64_t length, const struct fh_site *site);

/* Atomics. An order is C11's number: relaxed 0, consume 1, acquire 2, release 3, acq_rel 4,
 * seq_cst 5. N is 1, 2, 4 or 8. */
#define FH_ATOMIC_HOOKS(bytes, type)                                                               \
    type __fh_atomic_load##bytes(const void *address, uint32_t order, const struct fh_site *site); \
    void __fh_atomic_store##bytes(void *address, type value, uint32_t order,                       \
                                  const struct fh_site *site);                                     \
    /* Returns the old value. `operation` is an FH_RMW_ number. */                                 \
    type __fh_rmw##bytes(void *address, type operand, uint32_t operation, uint32_t order,          \
                         const struct fh_site *site);                                              \
    /* Returns the old value; it succeeded iff that is `expected`.                                 \
     * `orders` = success | failure << 8. */                                                       \
    type __fh_cas##bytes(void *address, type expected, type desired, uint32_t orders,              \
                         const struct fh_site *site);                                              \
    /* A weak one: it may fail although the old value is `expected`, and says so. */               \
    type __fh_weak_cas##bytes(void *address, type expected, type desired, uint32_t orders,         \
                              uint8_t *succeeded, const struct fh_site *site);
FH_ATOMIC_HOOKS(1, uint8_t)
FH_ATOMIC_HOOKS(2, uint16_t)
FH_ATOMIC_HOOKS(4, uint32_t)
FH_ATOMIC_HOOKS(8, uint64_t)

/* Atomics of any other width: one indivisible event each. What is not `address` is private memory
 * of that length. An `operation` other than an exchange asks for at most 16 bytes. */
void __fh_atomic_read(const void *address, void *into, uint64_t length, uint32_t order,
                      const struct fh_site *site);
void __fh_atomic_write(void *address, const void *from, uint64_t length, uint32_t order,
                       const struct fh_site *site);
void __fh_atomic_rmw(void *address, const void *operand, void *old, uint64_t length,
                     uint32_t operation, uint32_t order, const struct fh_site *site);
/* Returns 1 if it succeeded, else 0, and then the old value is in `expected`.
 * `orders` = success | failure << 8 | (1 if weak) << 16. */
uint8_t __fh_atomic_cas(void *address, void *expected, const void *desired, uint64_t length,
                        uint32_t orders, const struct fh_site *site);

enum {
    FH_RMW_EXCHANGE = 0,
    FH_RMW_ADD = 1,
    FH_RMW_SUB = 2,
    FH_RMW_AND = 3,
    FH_RMW_NAND = 4,
    FH_RMW_OR = 5,
    FH_RMW_XOR = 6,
    FH_RMW_MAX = 7,
    FH_RMW_MIN = 8,
    FH_RMW_UMAX = 9,
    FH_RMW_UMIN = 10,
    FH_RMW_NEGATE = 11, /* no operand */
    /* Floating point, of 4 and 8 bytes. */
    FH_RMW_FADD = 12,
    FH_RMW_FSUB = 13,
    FH_RMW_FMAX = 14,
    FH_RMW_FMIN = 15
};

/* A fence between threads (atomic_thread_fence, __sync_synchronize, instructions of machines).
 * Compiler fences (atomic_signal_fence, asm("" ::: "memory")) are no hooks. `order` is C11's
 * number, or one of a fence that only machines have. */
enum {
    FH_FENCE_STORES = 6,       /* sfence, eieio, dmb ishst */
    FH_FENCE_LOADS = 7,        /* dmb ishld */
    FH_FENCE_INSTRUCTIONS = 8, /* lfence, isync, isb */
    /* And a sum of these: what of reads and writes before it is ordered before what behind it:
       dsb st, fence rw,w. */
    FH_FENCE_PAIRS = 16,
    FH_FENCE_READ_READ = 1,
    FH_FENCE_READ_WRITE = 2,
    FH_FENCE_WRITE_READ = 4,
    FH_FENCE_WRITE_WRITE = 8
};
void __fh_fence(uint32_t order, const struct fh_site *site);

/* Called first thing in the header of each loop that contains a hooked access or a call (and
 * cannot be entered but by its header), with a record of the loop in the frame of the function (32
 * bytes, 8-aligned, owned by the runtime), and the private state of the loop in so many words: the
 * values that enter the header, and the private memory that the loop writes, as far as it may still
 * be read. Of one loop there are always as many. `visit` says how the header was reached:
 *   FH_LOOP_ENTERED     from outside the loop;
 *   FH_LOOP_CHANGED     over a back edge, and something beside `state` may differ from all earlier
 *                       visits;
 *   FH_LOOP_COMPARABLE  over a back edge, and `state` is all that may differ. */
struct fh_loop {
    uint64_t number, unused[3];
};
enum { FH_LOOP_ENTERED = 0, FH_LOOP_CHANGED = 1, FH_LOOP_COMPARABLE = 2 };
void __fh_loop(struct fh_loop *loop, uint32_t visit, const uint64_t *state, uint64_t words,
               const struct fh_site *site);

/* At the header of a loop without an exit in which nothing could be seen: the thread goes round for
 * ever. Does not return under control. */
void __fh_endless(const struct fh_site *site);

/* Before something that cannot be run under control: inline assembly that nobody knows, fork, ...
 * `what` names it in words. Ends the exploration as `unsupported`; returns only where no tool
 * controls the program. */
void __fh_unsupported(const char *what, const struct fh_site *site);

/* Before a call of an external function that is neither modelled nor instrumented. `known` is 1 for
 * a function listed in llvm-pass/src/harmless.txt, 0 for an unknown one. */
void __fh_external(const char *name, uint32_t known, const struct fh_site *site);
/* Then, for each of its pointer arguments that may point to shared memory: the runtime refuses the
 * call where other threads could see what the pointer points to. */
void __fh_external_pointer(const void *pointer, const struct fh_site *site);
/* After a call of which pointers were announced. */
void __fh_external_returns(const struct fh_site *site);

/* Before a call of setjmp, by whatever name, which stays as it is: the buffer that it fills, and
 * whether it keeps the blocked signals there. */
void __fh_setjmp(const void *buffer, uint32_t saves_mask, const struct fh_site *site);

/* The site of the call being made: stored by instrumented code just before it calls a modelled
 * function (below) or an unknown one through a pointer. */
extern const struct fh_site *__fh_call_site;

/* Modelled functions: a declaration `f` that llvm-pass/src/modelled.txt lists is renamed to __fh_f,
 * with f's own signature, wherever it is called or its address is taken; to __fh_call_f where
 * there is a real f, and that is a stub of the module's, which goes on to __fh_f or to f. A
 * program's own definition of such a name is left alone. `main` becomes __fh_main. */

/* Whether a tool controls the program. Where none does, all that stands here does what the program
 * would have done without: an access is the access, __fh_unsupported returns (and what it stands
 * before is done), and the C library's own constructors and destructors call those of the program,
 * which are in sections "fh_ctors" and "fh_dtors" as well. */
extern uint8_t __fh_controlled;

/* Thread-local variables: beside each stands an ordinary variable in section "fh_tdata" (or
 * "fh_tbss" if zero), the initial image, and its address is asked for here; `own` is that of the
 * variable itself, the running OS thread's. */
void *__fh_tls(void *image, void *own);

/* A function that is an atomic block as a whole begins, and returns. */
void __fh_block_begin(const struct fh_site *site);
void __fh_block_end(const struct fh_site *site);

/* What local variables are filled with where they begin, and so many bytes at most: the hook fills
 * those that are announced, the function itself the others. What is not initialised must not be
 * what an earlier function left there, since loops compare it. */
enum { FH_FRESH_BYTE = 165, FH_FRESH_BYTES = 1024 };

/* Local variables that other threads may come to know of, in functions that have any. First the
 * function asks how many there are (`__fh_frame`), then it announces each of its own where it makes
 * room for it, and before it returns it says again how many there were before. */
uint64_t __fh_frame(void);
void __fh_local(void *address, uint64_t size, const struct fh_site *site);
/* The same for a parameter that is the function's own copy, which the caller has filled. */
void __fh_by_value(void *address, uint64_t size, const struct fh_site *site);
void __fh_leave(uint64_t frame);

/* A variable in section "fh_data" or "fh_bss", with at least 16 bytes behind it that belong to
 * none: a record in section "fh_globals". */
struct fh_variable {
    const void *address;
    uint64_t size;
    const char *name;
    const char *members; /* as those of an object */
};

/* A file that calls rand, strtok, or another function whose state is one for all threads, outside
 * of main, puts a byte into section "fh_shares": elsewhere such calls are no events. A file that
 * looks at a clock puts one into "fh_looks", and one that does so, or sleeps, outside of main, into
 * "fh_clocks": unless the program has both, looks and sleeps are no events. */

/* A file that calls exit, _exit, _Exit or quick_exit puts a byte into section "fh_exits":
 * elsewhere, the end of main is no event. Before main returns, the place is where that of a call
 * is. */

/* A file that calls pthread_cancel puts a byte into section "fh_cancels": elsewhere, cancellation
 * points are no events. */

/* Labels of dependencies (-mllvm -fencehound-labels): beside each value goes the number of a set of
 * loads that it depends on, 0 for none. Before a hook that accesses memory, the labels of the
 * address, of what is stored and of what a compare-and-exchange expects are put here, and 1 in
 * `unused` if nobody uses what a read-modify-write reads; behind it is the label of what was
 * loaded. Arguments (an element of a struct is one) and the elements of a result go the same way.
 */
struct fh_labels {
    uint32_t address, stored, expected, unused, loaded;
    uint32_t arguments[64], results[16];
};
extern struct fh_labels __fh_labels;
uint32_t __fh_label_union(uint32_t one, uint32_t other);
/* The label of one of two values, by that of what chooses between them. */
uint32_t __fh_label_select(uint32_t by, uint32_t chosen, uint32_t other);
/* Private memory is accessed at an address; or the program branches on a value. */
void __fh_label_address(uint32_t label);
void __fh_label_branch(uint32_t label);
/* A function that knows nothing of labels is passed this memory. */
void __fh_label_branch_memory(const void *address, uint64_t length);
/* 1 if all the loads have returned, else 0. */
uint32_t __fh_label_is_known(uint32_t label);
/* The label of all arguments of the modelled function that is called next. */
void __fh_label_operands(uint32_t label);
/* The labels of private memory. */
uint32_t __fh_label_get(const void *address, uint64_t length);
void __fh_label_put(const void *address, uint64_t length, uint32_t label);
void __fh_label_copy(const void *to, const void *from, uint64_t length);
/* Here a dependency cannot be tracked: refused where labels matter. */
void __fh_label_refuse(const char *what);
/* The ends of a function that is a transaction (FH_ATOMIC). */
void __fh_transaction_begin(const struct fh_site *site);
void __fh_transaction_end(const struct fh_site *site);

/* Values that were never written (-mllvm -fencehound-uninitialised). What MemorySanitizer asks a
 * kernel for is here under other names: `__msan_f` is `__fh_msan_f`. A file puts a byte into
 * section "fh_unwritten". */
struct fh_unwritten_metadata {
    void *shadow;
    uint32_t *origins;
};
void *__fh_msan_get_context_state(void);
struct fh_unwritten_metadata __fh_msan_metadata_ptr_for_load_n(const void *address,
                                                               uint64_t length);
struct fh_unwritten_metadata __fh_msan_metadata_ptr_for_store_n(void *address, uint64_t length);
uint32_t __fh_msan_chain_origin(uint32_t origin);
void __fh_msan_instrument_asm_store(const void *address, uint64_t length);
void *__fh_msan_memmove(void *to, const void *from, size_t length);
void *__fh_msan_memcpy(void *to, const void *from, size_t length);
void *__fh_msan_memset(void *to, int byte, size_t length);
/* In place of __msan_warning and __msan_poison_alloca: with a place. */
void __fh_unwritten_use(uint32_t origin, const struct fh_site *site);
void __fh_unwritten_local(const void *address, uint64_t size, const struct fh_site *site);
/* Before a hook that accesses memory: whether its address was written. */
void __fh_unwritten_address(const void *pointer, const struct fh_site *site);
/* Behind a hook: shadows follow what it did. The first argument of those with a result is what the
 * hook returned, and the result stands for it. N is 1, 2, 4 or 8. */
#define FH_UNWRITTEN_HOOKS(bytes, type)                                                            \
    struct fh_unwritten_metadata __fh_msan_metadata_ptr_for_load_##bytes(const void *address);     \
    struct fh_unwritten_metadata __fh_msan_metadata_ptr_for_store_##bytes(void *address);          \
    type __fh_unwritten_load##bytes(type value, const void *address);                              \
    void __fh_unwritten_store##bytes(void *address, type value);                                   \
    type __fh_unwritten_rmw##bytes(type old, void *address, type operand, uint32_t operation);     \
    type __fh_unwritten_cas##bytes(type old, void *address, type expected, type desired,           \
                                   const struct fh_site *site);                                    \
    type __fh_unwritten_weak_cas##bytes(type old, void *address, type desired,                     \
                                        const uint8_t *succeeded, const struct fh_site *site);
FH_UNWRITTEN_HOOKS(1, uint8_t)
FH_UNWRITTEN_HOOKS(2, uint16_t)
FH_UNWRITTEN_HOOKS(4, uint32_t)
FH_UNWRITTEN_HOOKS(8, uint64_t)
void __fh_unwritten_copy(void *to, const void *from, uint64_t length);
void __fh_unwritten_atomic_rmw(void *address, const void *operand, void *old, uint64_t length,
                               uint32_t operation);
void __fh_unwritten_atomic_cas(void *address, void *expected, const void *desired, uint64_t length,
                               uint8_t success);
/* A function that is not instrumented has got this pointer. */
void __fh_unwritten_forget(const void *pointer);

/* Mutable variables with a definition go to section "fh_data" (or "fh_bss" if zero), from which the
 * runtime restores them before each execution. */

#endif
