/* syscall(2) of the program, and filters of system calls. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "calls.h"
#include "libc.h"
#include "sandbox.h"

static bool call_function(long number, const long of[6], long *result) {
    /* jemalloc calls this while it begins: what allocates, as find_libc() does, would wait for it for ever. */
    return libc_read != NULL
        && (call_on_octets(number, of, result) || call_on_sockets(number, of, result) || call_on_descriptors(number, of, result)
            || call_on_processes(number, of, result) || call_on_waits(number, of, result));
}

/*
 * io_uring would read and write at sockets behind the library's back: programs are told that the kernel has none, and go on
 * without. Which arguments there are, the number says: some that are read may be none.
 */
EXPORT __attribute__((no_sanitize_address)) long(syscall)(long number, ...) {
    long arguments[6], result;
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_io_uring_setup) {
        errno = ENOSYS;
        return -1;
    }
    if (number == SYS_seccomp || (number == SYS_prctl && arguments[0] == PR_SET_SECCOMP)) {
        begin_sandbox();
    }
    if (call_function(number, arguments, &result)) {
        return result;
    }
    return own_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/* liburing makes its system calls by instructions of its own. Its calls return the error. */
EXPORT int io_uring_setup(unsigned entries, void *parameters);
EXPORT int io_uring_queue_init(unsigned entries, void *rings, unsigned flags);
EXPORT int io_uring_queue_init_params(unsigned entries, void *rings, void *parameters);
EXPORT int io_uring_queue_init_mem(unsigned entries, void *rings, void *parameters, void *memory, size_t octets);
EXPORT void *io_uring_get_probe(void);

int io_uring_setup(unsigned entries, void *parameters) {
    (void)entries;
    (void)parameters;
    return -ENOSYS;
}

int io_uring_queue_init(unsigned entries, void *rings, unsigned flags) {
    (void)flags;
    return io_uring_setup(entries, rings);
}

int io_uring_queue_init_params(unsigned entries, void *rings, void *parameters) {
    (void)rings;
    return io_uring_setup(entries, parameters);
}

int io_uring_queue_init_mem(unsigned entries, void *rings, void *parameters, void *memory, size_t octets) {
    (void)memory;
    (void)octets;
    return io_uring_queue_init_params(entries, rings, parameters);
}

void *io_uring_get_probe(void) {
    return NULL;
}

EXPORT int(prctl)(int option, ...) {
    unsigned long arguments[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++) {
        arguments[i] = va_arg(list, unsigned long);
    }
    va_end(list);
    if (option == PR_SET_SECCOMP) {
        begin_sandbox();
    }
    if (libc_prctl == NULL) {
        *(void **)&libc_prctl = dlsym(RTLD_NEXT, "prctl");
    }
    return libc_prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}
