/* Runs functions on the thread on which DPDK handles the sockets of virtual devices. */
#ifndef RDDP_INTERRUPT_THREAD_H
#define RDDP_INTERRUPT_THREAD_H

#include <stdint.h>

/*
 * Runs a function on DPDK's interrupt thread, between its handlers, and returns its result. Must
 * not be called on that thread.
 */
int rddp_on_interrupt_thread(int (*function)(uint16_t port), uint16_t port);

#endif
