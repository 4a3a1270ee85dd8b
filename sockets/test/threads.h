/* What the threads of a process do (proc(5)). */
#ifndef THREADS_H
#define THREADS_H

#include <dirent.h>

#include "ends.h"

/* Whether a thread has ended, or is in a state. */
static inline bool has_state(pid_t process, const char *thread, char state) {
    char path[300], octets[512];
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        CHECK(errno == ENOENT);
        return true;
    }
    ssize_t count = read(file, octets, sizeof octets - 1);
    CHECK(close(file) == 0);
    if (count < 0) {
        return true;
    }
    octets[count] = '\0';
    const char *name_end = strrchr(octets, ')');
    CHECK(name_end != NULL);
    return name_end[2] == state;
}

/* Waits until all threads of a process but the calling one are in a state: 'T' if they are stopped, 'S' if they sleep. */
static inline void await_threads(pid_t process, char state) {
    bool all = false;
    while (!all) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", (int)process);
        DIR *threads = opendir(path);
        CHECK(threads != NULL);
        all = true;
        for (const struct dirent *each = readdir(threads); each != NULL; each = readdir(threads)) {
            all = all && (each->d_name[0] == '.' || strtol(each->d_name, NULL, 10) == gettid() || has_state(process, each->d_name, state));
        }
        CHECK(closedir(threads) == 0);
        if (!all) {
            CHECK(poll(NULL, 0, 1) == 0);
        }
    }
}

#endif
