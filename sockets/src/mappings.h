/*
 * This process's mappings of streams' memories. The daemon gives the memory of a stream that has ended to a later one of the session:
 * mappings are kept for that, a few of them.
 */
#ifndef RDDP_SOCKETS_MAPPINGS_H
#define RDDP_SOCKETS_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
    uint8_t *at;
    size_t octets;
    dev_t device;
    ino_t number;
    bool immutable;        /* others can map the memory, and nobody can punch holes into it */
    unsigned generation;   /* of the process that has mapped it, or used it again */
    unsigned forks;        /* of that process until then */
    struct mapping *next;  /* of those that are kept */
};

/* Maps a memory that the daemon has sent, in which holes are forbidden then, or finds its mapping. NULL with errno. */
struct mapping *take_mapping(int memory, size_t octets);

/*
 * This process uses the memory no more, and closes the stream's socket next. If no other process can have used it, such as a child that
 * was made meanwhile, tells the daemon so, which may give it to another stream, and keeps the mapping. Otherwise false.
 */
bool give_mapping_back(struct mapping *mapping, int socket);

/* This process uses it no more. */
void drop_mapping(struct mapping *mapping);

/* This process is going to make another one with a copy of its memory, without fork(3). */
void note_fork(void);

#endif
