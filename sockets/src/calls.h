/*
 * System calls that a program makes by syscall(2) though libc has functions for them: octets that went past the library would be lost, and
 * connections be another host's. Each makes the call by the library's function; false: it has none for that number.
 */
#ifndef RDDP_SOCKETS_CALLS_H
#define RDDP_SOCKETS_CALLS_H

#include <stdbool.h>
#include <sys/syscall.h>

bool call_on_octets(long number, const long of[6], long *result);
bool call_on_sockets(long number, const long of[6], long *result);
bool call_on_descriptors(long number, const long of[6], long *result);
bool call_on_processes(long number, const long of[6], long *result);
bool call_on_waits(long number, const long of[6], long *result);

#endif
