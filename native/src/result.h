/* DPDK's ways of reporting a failure, made one. */
#ifndef RDDP_RESULT_H
#define RDDP_RESULT_H

#include <errno.h>

#include <rte_errno.h>

/* The number that DPDK left for this thread, never 0, as a result. */
static inline int failure(void)
{
    return rte_errno > 0 ? -rte_errno : -EIO;
}

/* The result of a DPDK function that reports -1 and leaves the reason in rte_errno. */
static inline int result(int value)
{
    return value == -1 ? failure() : value;
}

#endif
