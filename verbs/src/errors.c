#include "errors.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
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
