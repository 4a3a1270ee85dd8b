#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "rddp.h"

static _Thread_local char text[512];

int fail(int reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return reason;
}

int fail_errno(int reason, const char *what) {
    return fail(reason, "%s: %s", what, strerror(errno));
}

struct saved_error save_error(void) {
    struct saved_error saved;
    memcpy(saved.text, text, sizeof text);
    return saved;
}

void restore_error(const struct saved_error *saved) {
    memcpy(text, saved->text, sizeof text);
}

const char *rddp_error(void) {
    return text;
}

const char *rddp_reason_name(int reason) {
    switch (reason) {
        case RDDP_OK: return "OK";
        case RDDP_VERSION: return "VERSION";
        case RDDP_PERMISSION: return "PERMISSION";
        case RDDP_LIMIT: return "LIMIT";
        case RDDP_RESOURCES: return "RESOURCES";
        case RDDP_INVALID: return "INVALID";
        case RDDP_NOT_FOUND: return "NOT_FOUND";
        case RDDP_STATE: return "STATE";
        case RDDP_ADDRESS_IN_USE: return "ADDRESS_IN_USE";
        case RDDP_NO_INTERFACE: return "NO_INTERFACE";
        case RDDP_UNSAFE_MEMORY: return "UNSAFE_MEMORY";
        case RDDP_PROTOCOL: return "PROTOCOL";
        case RDDP_INTERNAL: return "INTERNAL";
        case RDDP_UNREACHABLE: return "UNREACHABLE";
        case RDDP_LOCAL_CLOSE: return "LOCAL_CLOSE";
        case RDDP_PEER_CLOSE: return "PEER_CLOSE";
        case RDDP_LOCAL_ABORT: return "LOCAL_ABORT";
        case RDDP_RESET: return "RESET";
        case RDDP_REFUSED: return "REFUSED";
        case RDDP_TIMEOUT: return "TIMEOUT";
        case RDDP_MPA_ERROR: return "MPA_ERROR";
        case RDDP_DDP_ERROR: return "DDP_ERROR";
        case RDDP_RDMAP_ERROR: return "RDMAP_ERROR";
        case RDDP_TERMINATED: return "TERMINATED";
        case RDDP_STOPPING: return "STOPPING";
        case RDDP_AGAIN: return "AGAIN";
        case RDDP_UNAVAILABLE: return "UNAVAILABLE";
        case RDDP_LOST: return "LOST";
        case RDDP_SYSTEM: return "SYSTEM";
        default: return "UNKNOWN";
    }
}

const char *rddp_status_name(int status) {
    switch (status) {
        case RDDP_SUCCESS: return "SUCCESS";
        case RDDP_LOCAL_LENGTH_ERROR: return "LOCAL_LENGTH_ERROR";
        case RDDP_LOCAL_PROTECTION_ERROR: return "LOCAL_PROTECTION_ERROR";
        case RDDP_LOCAL_OPERATION_ERROR: return "LOCAL_OPERATION_ERROR";
        case RDDP_FLUSHED: return "FLUSHED";
        case RDDP_REMOTE_ACCESS_ERROR: return "REMOTE_ACCESS_ERROR";
        case RDDP_REMOTE_OPERATION_ERROR: return "REMOTE_OPERATION_ERROR";
        case RDDP_FATAL_ERROR: return "FATAL_ERROR";
        case RDDP_MW_BIND_ERROR: return "MW_BIND_ERROR";
        default: return "UNKNOWN";
    }
}
