#include "exchange/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer's own clone() takes the process for a forked one. */
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
#define clone __clone
#endif

#define STACK ((size_t)64 << 10)

/* Made once; a guard page lies below. */
static char *stack;

static char *stack_end(void) {
    if (stack == NULL) {
        char *made = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED) {
            return NULL;
        }
        mprotect(made, STACK / 16, PROT_NONE);
        stack = made;
    }
    return stack + STACK;
}

/* By the system call, since libc's function leaves out the signals that libc uses itself. */
uint64_t block_signals(void) {
    uint64_t all = UINT64_MAX, before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    return before;
}

void restore_signals(uint64_t before) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

static int run(int (*function)(void *), void (*begun)(pid_t process, void *argument), void *argument, int flags) {
    char *end = stack_end();
    /* Without a signal at its end, the program does not notice it, not even in wait(). */
    flags |= CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED;
    pid_t process = end == NULL ? -1 : clone(function, end, flags, argument);
    int status = 0;
    pid_t ended = -1;
    if (process > 0) {
        if (begun != NULL) {
            begun(process, argument);
        }
        while ((ended = waitpid(process, &status, __WALL)) < 0 && errno == EINTR) {
        }
    }
    return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int run_suspended(int (*function)(void *), void *argument) {
    return run(function, NULL, argument, CLONE_VFORK);
}

int run_beside(int (*function)(void *), void (*begun)(pid_t process, void *argument), void *argument) {
    return run(function, begun, argument, 0);
}
