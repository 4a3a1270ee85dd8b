/*
 * The streams of an epoll instance: what the program asks of each, what the kernel has been told of it, and what is ready. All but the
 * atomic members is under the instance's lock.
 */
#ifndef RDDP_SOCKETS_EPOLL_ITEMS_H
#define RDDP_SOCKETS_EPOLL_ITEMS_H

#include <sys/epoll.h>

#include "locks.h"
#include "stream.h"

/* What has become of a stream. */
struct seen {
    uint64_t received;
    uint32_t fillings, events;
};

/* A stream in an instance. */
struct item {
    struct stream *stream;    /* with a reference */
    struct instance *instance;
    struct item *next;        /* of the stream */
    int descriptor;
    struct epoll_event event;
    bool asked;               /* the program has added it, and not removed */
    bool hot, cools;          /* cools: it is going to be hot no more */
    bool disabled;            /* EPOLLONESHOT has been reported */
    bool disabled_in_kernel;  /* the kernel has reported it */
    bool fresh;               /* just added or changed */
    unsigned armed;           /* the generation that is among the stream's waiters for it; 0: none */
    unsigned turn;            /* of the instance, when it was last reported */
    struct seen seen;         /* in the last look */
    struct seen reported;     /* so far */
};

/* A socket that neither is connected nor listens: it may become rddp's. */
struct plain {
    int descriptor;
    ino_t number;
    struct epoll_event event;
};

struct instance {
    struct object object;  /* first */
    int descriptor;        /* one of them */
    unsigned generation;
    struct lock lock;      /* of what follows; signals may interrupt who has it */
    uint64_t secret;       /* the datum of descriptor 0: none that a program would choose */
    struct item **items;   /* by descriptor */
    unsigned room;
    _Atomic unsigned item_count;
    struct item **hot;     /* as long as the items */
    _Atomic unsigned hot_count;
    unsigned next;         /* of the hot ones, the first to look at */
    _Atomic unsigned turn; /* counts waits */
    _Atomic bool others;   /* the kernel had something of others' in its last look */
    _Atomic bool crowded;  /* that left no room for streams: these come first in the next one */
    struct plain *plain;
    unsigned plain_count;
    _Atomic bool told;     /* the kernel knows of everything that is ready: several threads wait, or other instances look */
    _Atomic bool waited;   /* a thread waits; where several do, `told` counts, which stays */
};

static inline struct instance *take_instance(int epoll) {
    return (struct instance *)take(epoll, AN_EPOLL);
}

static inline void put_instance(struct instance *instance) {
    put(&instance->object);
}

/* In a child, its parent's looks and sleeps are not this process's, and the instance is both's. */
void lock_instance(struct instance *instance);

/* NULL without memory. */
struct item *new_item(struct instance *instance, struct stream *stream, int descriptor);
/* The stream's reference is the caller's to drop, without the lock. */
struct stream *remove_item(struct item *item);

/* The item of a descriptor, or NULL; and if it is the stream's. */
struct item *item_at(const struct instance *instance, unsigned descriptor);
struct item *find_item(const struct instance *instance, const struct stream *stream, int descriptor);

/* Whether its descriptor still names its stream. */
bool is_of_stream(const struct item *item);
/* Whether the stream is to be something else at its descriptors. */
bool is_changing(const struct stream *stream);

/* Makes an item hot, and the one at a place among the hot ones no more. */
void heat_item(struct item *item);
void cool_at(struct instance *instance, unsigned index);

/* ---- The kernel's part ---- */

/* epoll_ctl(2) of an item. */
int register_item(struct item *item, int what);
/* From now on the kernel knows all. */
void tell_all(struct instance *instance);
/* Whether the kernel has what the program asks. */
bool is_exact(const struct item *item);
/* Lets the kernel watch an item, and no more; whether it is ready now. `again`: the kernel is told what is there already, too. */
bool watch_item(struct item *item, bool again);
void disarm_item(struct item *item);

/* ---- What is ready ---- */

/* What is to be reported; of an edge-triggered one only if it is new. */
uint32_t item_events(struct item *item);
/* What that has said has been reported. */
void note_report(struct item *item);

#endif
