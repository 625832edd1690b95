/* A pass plugin that does nothing: what clang asks of a plugin, in C. */
#include <stdint.h>

struct plugin {
    uint32_t version;
    const char *name, *revision;
    void (*callbacks)(void *);
};

static void callbacks(void *builder) { (void)builder; }

struct plugin llvmGetPassPluginInfo(void) { return (struct plugin){1, "fake", "1", callbacks}; }
