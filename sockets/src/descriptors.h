/*
 * The descriptors of this process that the library knows: connections, listeners, epoll instances, and its own ones.
 *
 * A look takes no lock, and finds out whether the descriptor is still what it was: programs close some behind the library's back,
 * by system calls of their own or within libc, and the number may be another file since. Of a settled object the kernel is asked once a
 * tick of its clock (4 ms or less).
 */
#ifndef RDDP_SOCKETS_DESCRIPTORS_H
#define RDDP_SOCKETS_DESCRIPTORS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_DESCRIPTORS (1 << 20)

enum kind { A_STREAM, A_LISTENER, AN_EPOLL, OWN_DESCRIPTOR };
#define KINDS 4

/* What a descriptor names. The memory of one is used again for the same kind only, so a look that comes too late does no harm. */
struct object {
    _Atomic unsigned references;  /* descriptors, calls, and what else needs it; 0: it is nothing */
    _Atomic unsigned descriptors;
    enum kind kind;
    _Atomic uint64_t looked;      /* the tick of the last look at its only descriptor */
    dev_t device;
    ino_t number;
    struct object *next;          /* of those that are nothing */
};

/*
 * The kind's functions: `is_settled` says that nothing has become of it which the end of its file may have brought about, NULL: that
 * is not known; `forget` when a descriptor of the object is closed, which may still be open; `end` with the last reference.
 */
struct functions {
    size_t size;
    bool (*is_settled)(const struct object *object);
    void (*forget)(struct object *object, int descriptor);
    void (*end)(struct object *object);
};

void set_functions(enum kind kind, const struct functions *functions);

/* Of kinds with which nothing happens at the end of their files. */
bool is_always_settled(const struct object *object);

/* A new object with one reference, cleared otherwise; NULL without memory. Under the library's lock. */
struct object *new_object(enum kind kind);

/* The descriptor's object with a reference, or NULL. */
struct object *take(int descriptor, enum kind kind);
void put(struct object *object);

/* Takes a reference of an object that has one. */
void hold(struct object *object);

/* What descriptors name. */
extern struct object *_Atomic named_by[MAX_DESCRIPTORS];

/* Whether a descriptor names something: a quick look, that may be wrong about what is closed. Each call of the program asks it. */
static inline bool is_named(int descriptor) {
    return (unsigned)descriptor < MAX_DESCRIPTORS && atomic_load_explicit(&named_by[descriptor], memory_order_acquire) != NULL;
}

/* Whether a descriptor still names the object; nothing is forgotten if not. */
bool names(int descriptor, struct object *object);

/* Makes a descriptor name the object, which becomes its file. False if its number is too large. */
bool name(struct object *object, int descriptor);
/* Forgets what a descriptor is: it is going to be closed, or to be another file. */
void unname(int descriptor);
/* The same, if it is this process's: a child of vfork(2) has descriptors of its own, and its parent's memory. */
void leave(int descriptor);

/* Calls a function for each descriptor of a kind; under the library's lock. */
void for_each(enum kind kind, void (*call)(struct object *object, int descriptor, void *argument), void *argument);

/* Calls a function for each descriptor that is open, known or not. */
void for_each_open(void (*call)(int descriptor));

/*
 * Moves a descriptor of the library's own to a number that programs seldom use, closed by exec(2); it is stored, and when it moves
 * again, the new one. -1 with errno. unhide() closes it.
 */
int hide(int descriptor, int *place);
void unhide(int *place);

/* Whether the number, such as one stored by hide(), is one of the library's own descriptors now. */
bool is_hidden(int descriptor);
/* Moves one away, if the number is the library's. */
void make_way(int descriptor);

#endif
