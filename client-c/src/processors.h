/*
 * How a thread polls where there are fewer processors than threads that do: engines, and programs at either end. In a program that has
 * been started with a filter of system calls, which may not know of these, none of this does more than sched_yield().
 */
#ifndef RDDP_PROCESSORS_H
#define RDDP_PROCESSORS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Gives the calling thread, when it first calls this, the shortest time slices that the kernel has, since the kernel charges a yield
 * the rest of one: a thread that yields with the usual ones waits for some 30 turns of an engine that yields, too.
 */
void shorten_time_slices(void);

/* Whether leave_processors() can do anything: on machines with two. With more than two, the kernel finds one by itself. */
bool moves_threads(void);

/*
 * Moves the calling thread away from a processor with an engine, if another one has none, and if the thread may use all of the
 * machine's: those that somebody has chosen for it are left as they are. Only one thread with the same mover (0 at first) is moved
 * in 100 ms. Returns whether it has. The time is of CLOCK_MONOTONIC, in ns.
 */
bool leave_processors(const cpu_set_t *engines, _Atomic uint64_t *mover, uint64_t time);

/* Of the threads that yield for a session: the mover, and when (ms) they began to stay with the engine, and for how long (ms). */
struct placement {
    _Atomic uint64_t mover;
    _Atomic uint32_t stayed_at, stay;
};

/*
 * Gives the processor to other threads, in short time slices, after leave_processors(). A thread that has lost its processor for long
 * to one that does not wait joins an engine instead, and threads stay there for some time: engine and program yield to each other.
 */
void yield_processor(const cpu_set_t *engines, struct placement *placement);

#endif
