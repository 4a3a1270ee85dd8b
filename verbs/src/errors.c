#include "errors.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rddp.h"

int error_of(int reason) {
    switch (reason) {
        case RDDP_OK: return 0;
        case RDDP_PERMISSION: return EACCES;
        case RDDP_LIMIT:
        case RDDP_RESOURCES:
        case RDDP_SYSTEM:  /* this process has no memory, descriptors or mappings left */
        case RDDP_AGAIN: return ENOMEM;
        case RDDP_INVALID:
        case RDDP_NOT_FOUND:
        case RDDP_STATE: return EINVAL;
        case RDDP_ADDRESS_IN_USE: return EADDRINUSE;
        case RDDP_NO_INTERFACE: return EADDRNOTAVAIL;
        case RDDP_UNSAFE_MEMORY: return EFAULT;
        case RDDP_UNREACHABLE: return ENETUNREACH;
        case RDDP_REFUSED: return ECONNREFUSED;
        case RDDP_TIMEOUT: return ETIMEDOUT;
        case RDDP_RESET:
        case RDDP_TERMINATED:
        case RDDP_PEER_CLOSE: return ECONNRESET;
        case RDDP_UNAVAILABLE: return ENODEV;
        default: return EIO;
    }
}

int fails(int error) {
    errno = error;
    return -1;
}

void say_first(atomic_flag *said, const char *text) {
    if (!atomic_flag_test_and_set(said)) {
        fprintf(stderr, "rddp verbs: %s\n", text);
    }
}

/* Nobody writes or reads the text but who moves the state on from KEEPING or PRINTING. */
static _Atomic int kept_state;
static char kept[512];
enum { NOTHING_KEPT, KEEPING, KEPT, PRINTING };

static bool move_on(int from) {
    return atomic_compare_exchange_strong(&kept_state, &from, from + 1);
}

static void *say_kept(void *unused) {
    (void)unused;
    if (move_on(KEPT)) {
        fprintf(stderr, "rddp verbs: %s\n", kept);
    }
    return NULL;
}

/* The process ends before the thread has run. */
__attribute__((destructor)) static void say_at_the_end(void) {
    say_kept(NULL);
}

void say_aside(const char *text) {
    if (!move_on(NOTHING_KEPT)) {
        return;
    }
    snprintf(kept, sizeof kept, "%s", text);
    move_on(KEEPING);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, NULL, say_kept, NULL) == 0) {
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void verbs_log(const char *format, ...) {
    const char *wanted = getenv("RDDP_VERBS_LOG");
    if (wanted == NULL || *wanted == '\0' || *wanted == '0') {
        return;
    }
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "rddp verbs %d: %s\n", (int)getpid(), line);
}
