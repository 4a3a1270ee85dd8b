/* Unifies DPDK's ways of reporting a failure. */
#ifndef RDDP_RESULT_H
#define RDDP_RESULT_H

#include <errno.h>

#include <rte_errno.h>

/* The negative of this thread's rte_errno, never 0. */
static inline int failure(void)
{
    return rte_errno > 0 ? -rte_errno : -EIO;
}

/* Converts the result of a DPDK function that returns -1 and sets rte_errno on failure. */
static inline int result(int value)
{
    return value == -1 ? failure() : value;
}

#endif
