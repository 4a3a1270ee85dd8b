#include "exchange/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exchange/unchecked.h"

/* A directory entry as the kernel writes it; some fields are not read here. */
struct entry {
    uint64_t inode;  // cppcheck-suppress unusedStructMember
    int64_t offset;  // cppcheck-suppress unusedStructMember
    unsigned short length;
    unsigned char type;  // cppcheck-suppress unusedStructMember
    char name[];
};

/*
 * The field of flags behind the state in /proc/PID/task/TID/stat, and the flag that the kernel sets for workers of
 * io_uring.
 */
#define FLAGS_FIELD 6
#define PF_IO_WORKER 0x10

long count_threads(void) {
    struct stat status;
    return stat("/proc/self/task", &status) == 0 ? (long)status.st_nlink - 2 : LONG_MAX;
}

UNCHECKED static char *append(char *at, const char *text) {
    while (*text != '\0') {
        *at++ = *text++;
    }
    *at = '\0';
    return at;
}

UNCHECKED static char *append_number(char *at, pid_t number) {
    char digits[16];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    *at = '\0';
    return at;
}

UNCHECKED bool open_threads(struct thread_list *list, pid_t process) {
    char path[64];
    append(append_number(append(path, "/proc/"), process), "/task");
    list->process = process;
    list->descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    return list->descriptor >= 0;
}

UNCHECKED static long parse_number(const char *text) {
    long number = 0;
    while (*text >= '0' && *text <= '9') {
        number = number * 10 + (*text++ - '0');
    }
    return number;
}

UNCHECKED int for_each_thread(struct thread_list *list, int (*function)(pid_t, void *), void *argument) {
    char entries[2048] __attribute__((aligned(8)));
    long octets;
    syscall(SYS_lseek, list->descriptor, 0L, SEEK_SET);
    while ((octets = syscall(SYS_getdents64, list->descriptor, entries, sizeof entries)) > 0) {
        for (long at = 0; at < octets;) {
            const struct entry *entry = (const struct entry *)(entries + at);
            pid_t thread = (pid_t)parse_number(entry->name);
            int error = thread == 0 ? 0 : function(thread, argument);
            if (error != 0) {
                return error;
            }
            at += entry->length;
        }
    }
    return octets < 0 ? EAGAIN : 0;
}

/* Reads a file of a thread's; returns the octets, 0 if the thread has ended. */
UNCHECKED static size_t read_file(pid_t process, pid_t thread, const char *name, char *text, size_t room) {
    char path[96];
    append(append(append_number(append(append_number(append(path, "/proc/"), process), "/task/"), thread), "/"), name);
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0) {
        return 0;
    }
    long octets = syscall(SYS_read, descriptor, text, room);
    syscall(SYS_close, descriptor);
    return octets < 0 ? 0 : (size_t)octets;
}

/* A number of proc_pid_stat(5), counted from the state, whose letter is the 0th; 0 if the thread has ended. */
UNCHECKED static long find_field(pid_t process, pid_t thread, int field, char *state) {
    char text[512];
    size_t octets = read_file(process, thread, "stat", text, sizeof text - 1);
    text[octets] = '\0';
    size_t at = octets;
    /* The name before it may have parentheses; the rest has none. */
    while (at > 0 && text[at - 1] != ')') {
        at--;
    }
    *state = at == 0 ? 'X' : text[at + 1];
    for (at++; field > 0 && at < octets; at++) {
        field -= text[at] == ' ';
    }
    return at < octets ? parse_number(text + at) : 0;
}

UNCHECKED char thread_state(pid_t process, pid_t thread) {
    char state;
    find_field(process, thread, 0, &state);
    return state;
}

UNCHECKED bool is_io_worker(pid_t process, pid_t thread) {
    char state;
    return (find_field(process, thread, FLAGS_FIELD, &state) & PF_IO_WORKER) != 0;
}

/* The hexadecimal number behind a name at the start of a line, or 0. */
UNCHECKED static uint64_t find_mask(const char *text, size_t octets, const char *name) {
    for (size_t i = 0; i < octets; i++) {
        size_t at = 0;
        while (name[at] != '\0' && i + at < octets && text[i + at] == name[at]) {
            at++;
        }
        if (name[at] == '\0' && (i == 0 || text[i - 1] == '\n')) {
            uint64_t mask = 0;
            for (i += at; i < octets && text[i] != '\n'; i++) {
                mask = text[i] < '0' ? mask : mask << 4 | (uint64_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
            }
            return mask;
        }
    }
    return 0;
}

UNCHECKED bool thread_holds_back(pid_t process, pid_t thread, int number) {
    char text[4096];
    size_t octets = read_file(process, thread, "status", text, sizeof text);
    uint64_t held = find_mask(text, octets, "SigPnd:") & find_mask(text, octets, "SigBlk:");
    return (held >> (number - 1) & 1) != 0;
}

UNCHECKED void close_threads(struct thread_list *list) {
    syscall(SYS_close, list->descriptor);
}
