/* Removal of cards that are in use. */
#ifndef RDDP_REMOVAL_H
#define RDDP_REMOVAL_H

#include <stdbool.h>
#include <stdint.h>

/* Watches for removals. Call once, after DPDK has been initialised. Returns 0 or a negative errno. */
int rddp_watch_removals(void);

/* Whether the kernel has requested the card of a port. Any thread may call it. */
bool rddp_is_wanted_back(uint16_t port);

#endif
