#include "settings.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox.h"

#define DEFAULT_SPIN_MICROS 100
#define MAX_SPIN_MICROS 1000000
#define DEFAULT_SOCKET "/run/rddp/rddpd.sock"

static uint64_t spin;
static char *path, *interface;
static bool yielding, logging;

__attribute__((constructor(101))) static void read_settings(void) {
    const char *text = getenv("RDDP_SOCKETS_SPIN");
    long micros = text == NULL || *text == '\0' ? DEFAULT_SPIN_MICROS : strtol(text, NULL, 10);
    spin = micros < 0 || micros > MAX_SPIN_MICROS ? DEFAULT_SPIN_MICROS * 1000u : (uint64_t)micros * 1000u;
    cpu_set_t processors;
    yielding = sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) < 3;
    text = getenv("RDDP_SOCKET");
    path = strdup(text == NULL ? DEFAULT_SOCKET : text);
    text = getenv("RDDP_INTERFACE");
    interface = text == NULL || *text == '\0' ? NULL : strdup(text);
    text = getenv("RDDP_SOCKETS_LOG");
    logging = text != NULL && *text != '\0' && *text != '0';
}

uint64_t spin_nanos(void) {
    return is_sandboxed() ? 0 : spin;
}

const char *daemon_socket(void) {
    return path;
}

const char *chosen_interface(void) {
    return interface;
}

bool yields(void) {
    return yielding;
}

/* With the system call: standard error may be a connection of rddp's itself. */
static void print(const char *format, va_list arguments) {
    int before = errno;
    char line[512];
    int start = snprintf(line, sizeof line, "rddp sockets %d: ", (int)getpid());
    int length = vsnprintf(line + start, sizeof line - (size_t)start - 1, format, arguments);
    size_t end = (size_t)start + (size_t)(length < 0 ? 0 : length);
    if (end > sizeof line - 2) {
        end = sizeof line - 2;
    }
    line[end] = '\n';
    (void)syscall(SYS_write, STDERR_FILENO, line, end + 1);
    errno = before;
}

void sockets_log(const char *format, ...) {
    if (logging) {
        va_list arguments;
        va_start(arguments, format);
        print(format, arguments);
        va_end(arguments);
    }
}

void sockets_warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}
