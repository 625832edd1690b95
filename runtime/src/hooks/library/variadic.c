/* The modelled functions with a variable number of arguments: each passes them on to the runtime as
 * a list, the only form in which Rust can take them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

int __fh_vprintf(const char *format, va_list arguments);
int __fh_vfprintf(FILE *stream, const char *format, va_list arguments);
int __fh_vdprintf(int file, const char *format, va_list arguments);
int __fh_vsprintf(char *to, const char *format, va_list arguments);
int __fh_vsnprintf(char *to, size_t size, const char *format, va_list arguments);
int __fh_vasprintf(char **to, const char *format, va_list arguments);
int __fh_vsscanf(const char *text, const char *format, va_list arguments);

#define HAND_ON(call)                                                                              \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    int result = call;                                                                             \
    va_end(arguments);                                                                             \
    return result

int __fh_printf(const char *format, ...) { HAND_ON(__fh_vprintf(format, arguments)); }

int __fh_fprintf(FILE *stream, const char *format, ...) {
    HAND_ON(__fh_vfprintf(stream, format, arguments));
}

int __fh_dprintf(int file, const char *format, ...) {
    HAND_ON(__fh_vdprintf(file, format, arguments));
}

int __fh_sprintf(char *to, const char *format, ...) {
    HAND_ON(__fh_vsprintf(to, format, arguments));
}

int __fh_snprintf(char *to, size_t size, const char *format, ...) {
    HAND_ON(__fh_vsnprintf(to, size, format, arguments));
}

int __fh_asprintf(char **to, const char *format, ...) {
    HAND_ON(__fh_vasprintf(to, format, arguments));
}

int __fh_sscanf(const char *text, const char *format, ...) {
    HAND_ON(__fh_vsscanf(text, format, arguments));
}

int __fh___isoc99_sscanf(const char *text, const char *format, ...) {
    HAND_ON(__fh_vsscanf(text, format, arguments));
}

int __fh___isoc23_sscanf(const char *text, const char *format, ...) {
    HAND_ON(__fh_vsscanf(text, format, arguments));
}

/* The functions that the compiler calls instead with _FORTIFY_SOURCE. */

int __fh___printf_chk(int flag, const char *format, ...) {
    (void)flag;
    HAND_ON(__fh_vprintf(format, arguments));
}

int __fh___fprintf_chk(FILE *stream, int flag, const char *format, ...) {
    (void)flag;
    HAND_ON(__fh_vfprintf(stream, format, arguments));
}

int __fh___sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    (void)flag, (void)room;
    HAND_ON(__fh_vsprintf(to, format, arguments));
}

int __fh___snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
    (void)flag, (void)room;
    HAND_ON(__fh_vsnprintf(to, size, format, arguments));
}
