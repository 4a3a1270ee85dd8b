/* The environment abstraction layer: initialisation, threads, time, error messages. */
#include "rddp_dpdk.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include "removal.h"
#include "result.h"

const char *rddp_dpdk_version(void)
{
    return rte_version();
}

const char *rddp_strerror(int error)
{
    return rte_strerror(error);
}

int rddp_eal_init(int argc, char **argv)
{
    int parsed = rte_eal_init(argc, argv);
    int error;
    if (parsed < 0)
        return result(parsed);
    error = rddp_watch_removals();
    return error < 0 ? error : parsed;
}

const char *rddp_runtime_dir(void)
{
    return rte_eal_get_runtime_dir();
}

int rddp_thread_register(void)
{
    return result(rte_thread_register());
}

void rddp_thread_unregister(void)
{
    rte_thread_unregister();
}

uint64_t rddp_tsc(void)
{
    return rte_rdtsc();
}

uint64_t rddp_tsc_hz(void)
{
    return rte_get_tsc_hz();
}
