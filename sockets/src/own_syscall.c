/* The library's own system calls, which do not pass its syscall(2). */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "sandbox.h"

static long (*libc_syscall)(long, ...);
static atomic_bool sandboxed;

/*
 * jemalloc calls this while it begins: what allocates, as find_libc() does, would wait for it for ever. Which arguments there are, the
 * number says: some that are read may be none.
 */
__attribute__((no_sanitize_address)) long own_syscall(long number, ...) {
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(list, long);
    }
    va_end(list);
    if (libc_syscall == NULL) {
        *(void **)&libc_syscall = dlsym(RTLD_NEXT, "syscall");
    }
    return libc_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

bool is_sandboxed(void) {
    return sandboxed;
}

void begin_sandbox(void) {
    sandboxed = true;
}
