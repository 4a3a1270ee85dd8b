/* The environment abstraction layer: initialisation, threads, error messages. */
#include "rddp_dpdk.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void write_all(int to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(to, text, length);
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

/* Descriptors of rddp_eal_init() while DPDK starts. */
static int kept_output = -1, told_output;

static void tell_kept_output(void)
{
    static const char ended[] = "rddp: error: DPDK does not start, and has ended this process (dpdk.arguments). It said:\n";
    struct stat file;
    char *text;
    if (kept_output < 0 || fflush(NULL) != 0 || fstat(kept_output, &file) != 0)
        return;
    write_all(told_output, ended, sizeof(ended) - 1);
    text = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, kept_output, 0);
    if (text != MAP_FAILED)
        write_all(told_output, text, (size_t)file.st_size);
}

int rddp_eal_init(int argc, char **argv, int kept, int told)
{
    int parsed, error;
    if (kept >= 0 && atexit(tell_kept_output) == 0) {
        told_output = told;
        kept_output = kept;
    }
    parsed = rte_eal_init(argc, argv);
    kept_output = -1;
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
