/* What the environment asks of the library (docs/sockets.md). */
#ifndef RDDP_SOCKETS_SETTINGS_H
#define RDDP_SOCKETS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* RDDP_SOCKETS_SPIN: how long a call looks for octets before its thread sleeps, ns. */
uint64_t spin_nanos(void);

/* Whether a thread that looks in vain yields its processor: where the process may use fewer than three. */
bool yields(void);

/*
 * RDDP_SOCKET, or its default, and RDDP_INTERFACE, or NULL; as they were when the library was loaded, since some programs
 * clear their environment.
 */
const char *daemon_socket(void);
const char *chosen_interface(void);

/* With RDDP_SOCKETS_LOG=1: prints a line on standard error. */
__attribute__((format(printf, 1, 2))) void sockets_log(const char *format, ...);

/* Prints a line on standard error in any case: what goes wrong, and a program would not know why. */
__attribute__((format(printf, 1, 2))) void sockets_warn(const char *format, ...);

#endif
