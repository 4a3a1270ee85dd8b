#include "signals.h"

#include <errno.h>

/* They come from the thread's own instructions: none ends a wait. */
static bool is_fault(int number) {
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP
        || number == SIGSYS || number == SIGABRT;
}

static bool may_interrupt(int number, const sigset_t *blocked) {
    struct sigaction action;
    return !is_fault(number) && sigismember(blocked, number) == 0 && sigaction(number, NULL, &action) == 0
        && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && (action.sa_flags & SA_RESTART) == 0;
}

static bool all_restart(void) {
    sigset_t blocked;
    int before = errno;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    int number = 1;
    while (number <= SIGRTMAX && !may_interrupt(number, &blocked)) {
        number++;
    }
    errno = before;  /* there are numbers that sigaction(2) refuses */
    return number > SIGRTMAX;
}

enum wait_result wait_through_signals(struct wait *wait) {
    enum wait_result result = wait_for(wait);
    while (result == INTERRUPTED && errno == EINTR && wait->deadline == FOREVER && all_restart()) {
        result = wait_for(wait);
    }
    return result;
}
