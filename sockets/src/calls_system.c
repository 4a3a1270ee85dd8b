/* syscall(2) of the program, and filters of system calls. The library's own calls pass here, too. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "libc.h"
#include "sandbox.h"

static atomic_bool sandboxed;

void (*descriptors_changed)(unsigned first, unsigned last);

bool is_sandboxed(void) {
    return sandboxed;
}

static void note_change(long number, const long arguments[6]) {
    unsigned first = (unsigned)arguments[0], second = (unsigned)arguments[1];
    if (number == SYS_close) {
        descriptors_changed(first, first);
    } else if (number == SYS_dup2 || number == SYS_dup3) {
        descriptors_changed(second, second);
    } else if (number == SYS_close_range) {
        descriptors_changed(first, second);
    }
}

/*
 * io_uring would read and write at sockets behind the library's back: programs are told that the kernel has none, and go on
 * without. Which arguments there are, the number says: some that are read may be none.
 */
EXPORT __attribute__((no_sanitize_address)) long(syscall)(long number, ...) {
    long arguments[6];
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
        sandboxed = true;
    }
    /* jemalloc calls this while it begins: what allocates, as find_libc() does, would wait for it for ever. */
    if (libc_syscall == NULL) {
        *(void **)&libc_syscall = dlsym(RTLD_NEXT, "syscall");
    }
    long result = libc_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    if (descriptors_changed != NULL) {
        note_change(number, arguments);
    }
    return result;
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
        sandboxed = true;
    }
    if (libc_prctl == NULL) {
        *(void **)&libc_prctl = dlsym(RTLD_NEXT, "prctl");
    }
    return libc_prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}
