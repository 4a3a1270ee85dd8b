#include "descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "locks.h"
#include "sandbox.h"

/* Of the library's own, where the limit is higher. */
#define FIRST_HIDDEN 960

struct hidden {
    struct object object;  /* first */
    int *place;
};

/* Pages that are never used take no memory. */
struct object *_Atomic named_by[MAX_DESCRIPTORS];
static _Atomic int largest = -1;
static struct functions functions[KINDS] = {[OWN_DESCRIPTOR] = {.size = sizeof(struct hidden), .is_settled = is_always_settled}};
static struct object *unused[KINDS];
/* A child of vfork(2) has its parent's thread's. */
static _Thread_local bool diverged;

bool is_always_settled(const struct object *object) {
    (void)object;
    return true;
}

void set_functions(enum kind kind, const struct functions *set) {
    functions[kind] = *set;
}

struct object *new_object(enum kind kind) {
    if (functions[kind].size == 0) {
        return NULL;  /* another library's constructor is earlier */
    }
    struct object *made = unused[kind];
    if (made != NULL) {
        unused[kind] = made->next;
        memset((char *)made + sizeof *made, 0, functions[kind].size - sizeof *made);
    } else {
        made = calloc(1, functions[kind].size);
    }
    if (made != NULL) {
        made->kind = kind;
        atomic_store(&made->descriptors, 0);
        atomic_store(&made->references, 1);
    }
    return made;
}

void hold(struct object *object) {
    atomic_fetch_add(&object->references, 1);
}

void put(struct object *object) {
    if (atomic_fetch_sub(&object->references, 1) != 1) {
        return;
    }
    int error = errno;
    if (functions[object->kind].end != NULL) {
        functions[object->kind].end(object);
    }
    lock_library();
    object->next = unused[object->kind];
    unused[object->kind] = object;
    unlock_library();
    errno = error;
}

/* What changes with each tick of the kernel's clock. */
static uint64_t tick(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t)time.tv_sec << 32 | (uint64_t)time.tv_nsec;
}

/* A child of vfork(2) has changed a descriptor, or did so before it was replaced by its program. */
static bool is_diverged(void) {
    if (diverged && is_own_process()) {
        diverged = false;
    }
    return diverged;
}

/* EACCES and the like: a sandbox does not let the process know; it is taken for what it was. */
static bool is_same(struct object *object, int descriptor) {
    bool (*is_settled)(const struct object *) = functions[object->kind].is_settled;
    bool settled = is_settled != NULL && is_settled(object) && !is_diverged()
        && atomic_load_explicit(&object->descriptors, memory_order_relaxed) == 1;
    uint64_t time = settled ? tick() : 0;
    if (settled && atomic_load_explicit(&object->looked, memory_order_relaxed) == time) {
        return true;
    }
    struct stat now;
    int error = errno;
    bool same = syscall(SYS_fstat, descriptor, &now) == 0 ? now.st_ino == object->number && now.st_dev == object->device
                                                          : errno != EBADF;
    errno = error;
    if (same) {
        atomic_store_explicit(&object->looked, time, memory_order_relaxed);
    }
    return same;
}

bool names(int descriptor, struct object *object) {
    return (unsigned)descriptor < MAX_DESCRIPTORS && atomic_load(&named_by[descriptor]) == object && is_same(object, descriptor);
}

/* False if the descriptor has become something else meanwhile. */
static bool hold_of(struct object *object, int descriptor) {
    unsigned references = atomic_load(&object->references);
    while (references != 0 && !atomic_compare_exchange_weak(&object->references, &references, references + 1)) {
    }
    if (references == 0) {
        return false;
    }
    if (atomic_load(&named_by[descriptor]) == object) {
        return true;
    }
    put(object);
    return false;
}

/* The descriptor does not name it any more. */
static void drop(struct object *object, int descriptor) {
    atomic_store(&object->looked, 0);
    atomic_fetch_sub(&object->descriptors, 1);
    if (functions[object->kind].forget != NULL) {
        functions[object->kind].forget(object, descriptor);
    }
    put(object);
}

static struct object *take_any(int descriptor) {
    struct object *object;
    while ((object = atomic_load(&named_by[descriptor])) != NULL) {
        if (!hold_of(object, descriptor)) {
            continue;
        }
        if (is_same(object, descriptor)) {
            return object;
        }
        struct object *stale = object;
        /* A child of vfork(2) has descriptors of its own, and its parent's memory. */
        if (!is_own_process()) {
            put(object);
            return NULL;
        }
        if (atomic_compare_exchange_strong(&named_by[descriptor], &stale, NULL)) {
            drop(object, descriptor);
        }
        put(object);
    }
    return NULL;
}

struct object *take(int descriptor, enum kind kind) {
    if (!is_named(descriptor)) {
        return NULL;
    }
    struct object *object = take_any(descriptor);
    if (object != NULL && object->kind != kind) {
        put(object);
        return NULL;
    }
    return object;
}

bool name(struct object *object, int descriptor) {
    struct stat now;
    if ((unsigned)descriptor >= MAX_DESCRIPTORS || syscall(SYS_fstat, descriptor, &now) != 0) {
        return false;
    }
    object->device = now.st_dev;
    object->number = now.st_ino;
    hold(object);
    atomic_store(&object->looked, 0);
    atomic_fetch_add(&object->descriptors, 1);
    lock_library();
    if (descriptor > largest) {
        largest = descriptor;
    }
    struct object *before = atomic_exchange(&named_by[descriptor], object);
    unlock_library();
    if (before != NULL) {
        drop(before, descriptor);
    }
    return true;
}

void unname(int descriptor) {
    if (is_named(descriptor)) {
        struct object *object = atomic_exchange(&named_by[descriptor], NULL);
        if (object != NULL) {
            drop(object, descriptor);
        }
    }
}

void leave(int descriptor) {
    if (is_own_process()) {
        unname(descriptor);
    } else {
        diverged = true;
    }
}

void for_each(enum kind kind, void (*call)(struct object *object, int descriptor, void *argument), void *argument) {
    for (int descriptor = 0; descriptor <= largest; descriptor++) {
        struct object *object = is_named(descriptor) ? take(descriptor, kind) : NULL;
        if (object != NULL) {
            call(object, descriptor, argument);
            put(object);
        }
    }
}

void for_each_open(void (*call)(int descriptor)) {
    int error = errno;
    DIR *all = opendir("/proc/self/fd");
    if (all != NULL) {
        for (const struct dirent *each = readdir(all); each != NULL; each = readdir(all)) {
            int descriptor = (int)strtol(each->d_name, NULL, 10);
            if (each->d_name[0] != '.' && descriptor != dirfd(all)) {
                call(descriptor);
            }
        }
        closedir(all);
    } else {
        for (int descriptor = 0; descriptor < 1024; descriptor++) {
            call(descriptor);
        }
    }
    errno = error;
}

/* ---- The library's own ---- */

static int move_up(int descriptor, int above) {
    struct rlimit limit;
    int from = FIRST_HIDDEN;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)FIRST_HIDDEN + 32) {
        from = limit.rlim_cur > 64 ? (int)limit.rlim_cur - 32 : 3;
    }
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, from > above ? from : above + 1);
    if (moved < 0) {
        moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    }
    return moved;
}

int hide(int descriptor, int *place) {
    int moved = move_up(descriptor, 0);
    if (moved < 0) {
        return -1;
    }
    lock_library();
    struct hidden *hidden = (struct hidden *)new_object(OWN_DESCRIPTOR);
    if (hidden == NULL || !name(&hidden->object, moved)) {
        unlock_library();
        close(moved);
        errno = ENOMEM;
        return -1;
    }
    hidden->place = place;
    *place = moved;
    put(&hidden->object);
    unlock_library();
    return moved;
}

void unhide(int *place) {
    int descriptor = *place;
    if (is_hidden(descriptor)) {
        unname(descriptor);
        close(descriptor);
    }
    *place = -1;
}

bool is_hidden(int descriptor) {
    struct object *object = take(descriptor, OWN_DESCRIPTOR);
    if (object != NULL) {
        put(object);
    }
    return object != NULL;
}

void make_way(int descriptor) {
    struct hidden *hidden = (struct hidden *)take(descriptor, OWN_DESCRIPTOR);
    if (hidden == NULL) {
        return;
    }
    lock_library();
    int moved = move_up(descriptor, descriptor);
    if (moved >= 0 && name(&hidden->object, moved)) {
        *hidden->place = moved;
        unname(descriptor);
        close(descriptor);
    }
    unlock_library();
    put(&hidden->object);
}
