/* What bursts tell other files. */
#ifndef RDDP_BURST_H
#define RDDP_BURST_H

#include <stdint.h>

/* Frames that the port's driver could not prepare for transmission: rddp_tx_burst() has freed them. */
uint64_t rddp_tx_refused(uint16_t port);

#endif
