/* Checks of tests of functions that tell their errors by errno: a failed one says where, and ends the process. */
#ifndef CHECK_ERRNO_H
#define CHECK_ERRNO_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno));              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A call that must fail, as the condition says, with an errno value. */
#define CHECK_ERRNO(expected, condition)                                                                               \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        CHECK(condition);                                                                                              \
        CHECK(errno == (expected));                                                                                    \
    } while (0)

/* Runs a test, and says which: the last line that is printed names the one that has failed. */
#define RUN(test)                                                                                                      \
    do {                                                                                                               \
        puts(#test);                                                                                                   \
        fflush(stdout);                                                                                                \
        test();                                                                                                        \
    } while (0)

#endif
