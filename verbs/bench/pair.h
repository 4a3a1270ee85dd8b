/*
 * Two connected programs on one thread, over librddp (pair_librddp.h) or over libibverbs and librdmacm (pair_verbs.h). The
 * loops are compiled once with each, so that calls are inlined alike.
 */
#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Octets of the longest message; source and sink of an end are as long. */
#define LONGEST (1u << 20)
/* Requests that may be posted and not completed. */
#define QUEUE 256
#define AT_ONCE 16

/* Where an end is: an interface of the daemon, and its address in host order. */
struct place {
    const char *interface;
    uint32_t address;
};

#define EXPECT(condition, what)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, what);                                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
