/* Errors: reasons of librddp as values of errno, and what the library says about them. */
#ifndef RDDP_VERBS_ERRORS_H
#define RDDP_VERBS_ERRORS_H

#include <stdatomic.h>

/* The errno value for a reason of librddp's; 0 for RDDP_OK. */
int error_of(int reason);

/* Sets errno, and returns -1. */
int fails(int error);

/* Writes a line to standard error if RDDP_VERBS_LOG is set. */
__attribute__((format(printf, 1, 2))) void verbs_log(const char *format, ...);

/* Writes a line to standard error, once, to who has started the program: its own message names a state, and no reason. */
#define say_once(text)                                                                                                 \
    do {                                                                                                               \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                                    \
        say_first(&said, text);                                                                                        \
    } while (0)

void say_first(atomic_flag *said, const char *text);

/* Writes the first text that it gets, by a thread of its own: for callers that hold locks, since standard error may block. */
void say_aside(const char *text);

#endif
