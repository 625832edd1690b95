/* The system's pthread.h, but for the two macros of cleanup handlers: glibc's jump back into the
 * frame that pushed a handler, with setjmp, which no checker of many executions can follow.
 * Here a handler is called by whatever ends the thread.
 */
#ifndef FENCEHOUND_PTHREAD_H
#define FENCEHOUND_PTHREAD_H

#include_next <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif
void fh_cleanup_push(void (*routine)(void *), void *argument);
void fh_cleanup_pop(int execute);
#ifdef __cplusplus
}
#endif

#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(routine, argument)                                                    \
    do {                                                                                           \
    fh_cleanup_push((routine), (argument))
#define pthread_cleanup_pop(execute)                                                               \
    fh_cleanup_pop(execute);                                                                       \
    }                                                                                              \
    while (0)
#undef pthread_cleanup_push_defer_np
#undef pthread_cleanup_pop_restore_np

#endif
