/* Checks of the tests: a failed one says where, and ends the process. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s; the last error: %s\n", __FILE__, __LINE__, #condition, rddp_error());  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A call that must return a reason. */
#define CHECK_RESULT(expected, call)                                                                                   \
    do {                                                                                                               \
        int result_ = (call);                                                                                          \
        if (result_ != (expected)) {                                                                                   \
            fprintf(stderr, "%s:%d: %s: %s instead of %s: %s\n", __FILE__, __LINE__, #call,                            \
                rddp_reason_name(result_), rddp_reason_name(expected), rddp_error());                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define CHECK_TEXT(part)                                                                                               \
    do {                                                                                                               \
        if (strstr(rddp_error(), part) == NULL) {                                                                      \
            fprintf(stderr, "%s:%d: \"%s\" does not say \"%s\"\n", __FILE__, __LINE__, rddp_error(), part);            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define OK(call) CHECK_RESULT(RDDP_OK, call)

#endif
