/*
 * Which processor a thread looks on. On a machine with two, a thread that looks on an engine's takes turns with the engine, while
 * the other processor is idle, or looks as well: a round trip then takes twice as long.
 */
#ifndef RDDP_SOCKETS_PROCESSORS_H
#define RDDP_SOCKETS_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Moves the calling thread away from a processor with an engine, if another one has none, and if the thread may use all of the
 * machine's: those that somebody has chosen for it are left as they are. Only one thread of a session is moved at a time. Returns
 * whether it has. The time is of CLOCK_MONOTONIC, in ns.
 */
bool leave_engines(uint64_t time);

#endif
