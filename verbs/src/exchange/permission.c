#include "exchange/permission.h"

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The program's own choice, noted when it is made, since the kernel cannot be asked for it. A forked child has none. */
static unsigned long chosen;
static pid_t chooser;

/* Replaces libc's. */
__attribute__((visibility("default"))) int prctl(int option, ...) {
    unsigned long arguments[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++) {
        arguments[i] = va_arg(list, unsigned long);
    }
    va_end(list);
    int result = (int)syscall(SYS_prctl, option, arguments[0], arguments[1], arguments[2], arguments[3]);
    if (option == PR_SET_PTRACER && result == 0) {
        chosen = arguments[0];
        chooser = getpid();
    }
    return result;
}

/* EINVAL without Yama, which then forbids nothing. */
void permit_tracing(pid_t process) {
    syscall(SYS_prctl, PR_SET_PTRACER, (long)process, 0L, 0L, 0L);
}

void permit_tracing_as_chosen(void) {
    syscall(SYS_prctl, PR_SET_PTRACER, chooser == getpid() ? chosen : 0, 0L, 0L, 0L);
}
