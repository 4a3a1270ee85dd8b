/*
 * System calls that the program makes itself.
 *
 * Filters of system calls, as servers' children have that talk to clients before they know them. From the moment on that the program
 * asks for one, the library makes the system calls only that all of them allow: it reads, writes and polls, and does not yield its processor.
 */
#ifndef RDDP_SOCKETS_SANDBOX_H
#define RDDP_SOCKETS_SANDBOX_H

#include <stdbool.h>

bool is_sandboxed(void);
/* The program asks for a filter. */
void begin_sandbox(void);

#endif
