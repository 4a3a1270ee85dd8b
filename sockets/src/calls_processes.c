/* The functions of libc that start programs, and what else becomes of a process. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bridge.h"
#include "calls.h"
#include "descriptors.h"
#include "libc.h"
#include "listening.h"
#include "mappings.h"
#include "rules.h"
#include "session.h"

extern char **environ;

/* After the constructors of all other files, which have a priority. */
__attribute__((constructor)) static void begin_program(void) {
    read_rules();
    use_bridges_of_inherited();
    find_inherited_listeners();
}

/* What the program that follows gets goes on in it. False with errno. */
static bool prepare_exec(void) {
    if (!use_bridges_for_exec()) {
        return false;
    }
    keep_listeners_for_exec();
    return true;
}

/* ---- exec ---- */

EXPORT int(execve)(const char *path, char *const arguments[], char *const environment[]) {
    return prepare_exec() ? LIBC(execve)(path, arguments, environment) : -1;
}

EXPORT int(execv)(const char *path, char *const arguments[]) {
    return (execve)(path, arguments, environ);
}

EXPORT int(execvpe)(const char *file, char *const arguments[], char *const environment[]) {
    return prepare_exec() ? LIBC(execvpe)(file, arguments, environment) : -1;
}

EXPORT int(execvp)(const char *file, char *const arguments[]) {
    return (execvpe)(file, arguments, environ);
}

EXPORT int(fexecve)(int descriptor, char *const arguments[], char *const environment[]) {
    return prepare_exec() ? LIBC(fexecve)(descriptor, arguments, environment) : -1;
}

EXPORT int(execveat)(int folder, const char *path, char *const arguments[], char *const environment[], int flags) {
    return prepare_exec() ? LIBC(execveat)(folder, path, arguments, environment, flags) : -1;
}

/* The list's arguments behind the first one, NULL included. */
static size_t count_arguments(va_list list) {
    size_t count = 1;
    while (va_arg(list, char *) != NULL) {
        count++;
    }
    return count + 1;
}

/* Stores them: a child of vfork(2) may have no memory of its own. */
#define ARGUMENTS_OF(first, list)                                                                                      \
    va_list counted;                                                                                                   \
    va_start(list, first);                                                                                             \
    va_copy(counted, list);                                                                                            \
    size_t count = count_arguments(counted);                                                                           \
    va_end(counted);                                                                                                   \
    char *arguments[count];                                                                                            \
    arguments[0] = (char *)first;                                                                                      \
    for (size_t i = 1; i < count; i++) {                                                                               \
        arguments[i] = va_arg(list, char *);                                                                           \
    }

EXPORT int(execl)(const char *path, const char *first, ...) {
    va_list list;
    ARGUMENTS_OF(first, list);
    va_end(list);
    return (execve)(path, arguments, environ);
}

EXPORT int(execlp)(const char *file, const char *first, ...) {
    va_list list;
    ARGUMENTS_OF(first, list);
    va_end(list);
    return (execvpe)(file, arguments, environ);
}

EXPORT int(execle)(const char *path, const char *first, ...) {
    va_list list;
    ARGUMENTS_OF(first, list);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return (execve)(path, arguments, environment);
}

/* ---- fork and spawn ---- */

/* Unlike fork(), these two call no handlers. */
EXPORT pid_t(_Fork)(void) {
    note_fork();
    return LIBC(_Fork)();
}

EXPORT int(clone)(int (*run)(void *), void *stack, int flags, void *argument, ...) {
    va_list list;
    va_start(list, argument);
    pid_t *to_parent = va_arg(list, pid_t *);
    void *storage = va_arg(list, void *);
    pid_t *to_child = va_arg(list, pid_t *);
    va_end(list);
    if ((flags & CLONE_VM) == 0) {
        note_fork();
    }
    return LIBC(clone)(run, stack, flags, argument, to_parent, storage, to_child);
}

EXPORT int(posix_spawn)(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    return prepare_exec() ? LIBC(posix_spawn)(process, path, actions, attributes, arguments, environment) : errno;
}

EXPORT int(posix_spawnp)(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    return prepare_exec() ? LIBC(posix_spawnp)(process, file, actions, attributes, arguments, environment) : errno;
}

/* The program that is started gets it, and nobody asks the library then. */
EXPORT int(posix_spawn_file_actions_adddup2)(posix_spawn_file_actions_t *actions, int descriptor, int made) {
    return use_bridge(descriptor) ? LIBC(posix_spawn_file_actions_adddup2)(actions, descriptor, made) : errno;
}

EXPORT int(system)(const char *command) {
    return prepare_exec() ? LIBC(system)(command) : -1;
}

EXPORT FILE *(popen)(const char *command, const char *type) {
    return prepare_exec() ? LIBC(popen)(command, type) : NULL;
}

/* ---- Other roots, and sandboxes ---- */

/* From where the daemon's socket is not to be seen. */
EXPORT int(chroot)(const char *path) {
    int error = errno;
    (void)open_session();
    errno = error;
    return LIBC(chroot)(path);
}

/* ---- By number ---- */

bool call_on_processes(long number, const long of[6], long *result) {
    switch (number) {
        case SYS_fork:
        case SYS_clone:
        case SYS_clone3:
            note_fork();
            return false;
        case SYS_execve: *result = execve((const char *)of[0], (char *const *)of[1], (char *const *)of[2]); break;
        case SYS_execveat:
            *result = execveat((int)of[0], (const char *)of[1], (char *const *)of[2], (char *const *)of[3], (int)of[4]);
            break;
        case SYS_chroot: *result = chroot((const char *)of[0]); break;
        default: return false;
    }
    return true;
}
