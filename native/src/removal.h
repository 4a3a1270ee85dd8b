/* Cards that are to be removed while they are used. */
#ifndef RDDP_REMOVAL_H
#define RDDP_REMOVAL_H

#include <stdbool.h>
#include <stdint.h>

/* Once, after DPDK has been initialised. 0, or a negative error. */
int rddp_watch_removals(void);

/* Whether the kernel has asked for the card of a port. By any thread. */
bool rddp_is_wanted_back(uint16_t port);

#endif
