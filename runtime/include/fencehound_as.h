/* fencehound_as.h: compiles the branches of a portable program that another machine would have.
 *
 * Fencehound runs on x86-64, so of `#if defined(__x86_64__) ... #elif defined(__aarch64__)` it
 * compiles the first. With this header before everything else it is the other one:
 *
 *     fencehound check my.c --model armv8 -DFENCEHOUND_AS_AARCH64 \
 *         --cflags "-include fencehound_as.h"
 *     fencehound check my.c --model riscv -DFENCEHOUND_AS_RISCV64 \
 *         --cflags "-include fencehound_as.h"
 *
 * The system's headers are those of this machine, so they are included first, as far as they are
 * listed here; include what is missing before this one.
 */
#ifndef FENCEHOUND_AS_H
#define FENCEHOUND_AS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <assert.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#ifndef __cplusplus
#include <stdalign.h>
#include <stdatomic.h>
#include <stdnoreturn.h>
#include <threads.h>
#endif

#undef __x86_64__
#undef __x86_64
#undef __amd64__
#undef __amd64

#if defined FENCEHOUND_AS_AARCH64
#define __aarch64__ 1
#define __AARCH64EL__ 1
#define __ARM_64BIT_STATE 1
#define __ARM_ARCH 8
#elif defined FENCEHOUND_AS_RISCV64
#define __riscv 1
#define __riscv_xlen 64
#define __riscv_atomic 1
#else
#error "say which machine: -DFENCEHOUND_AS_AARCH64 or -DFENCEHOUND_AS_RISCV64"
#endif

#endif
