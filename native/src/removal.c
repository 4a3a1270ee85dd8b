/* Removal of cards: vfio requests a card, and waits until the process has closed it. */
#define ALLOW_EXPERIMENTAL_API /* rte_dev_event_callback_register */
#include "removal.h"

#include <stdatomic.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_log.h>

static atomic_bool wanted_back[RTE_MAX_ETHPORTS];

/* Called on DPDK's interrupt thread; vfio repeats its request. */
static void on_event(const char *device, enum rte_dev_event_type event, void *unused)
{
    uint16_t port;
    (void)unused;
    if (event != RTE_DEV_EVENT_REMOVE || rte_eth_dev_get_port_by_name(device, &port) < 0)
        return;
    if (!atomic_exchange(&wanted_back[port], true))
        rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1,
                "rddp: the card %s is to be removed; its link counts as down from now on. The kernel "
                "waits until the daemon ends\n",
                device);
}

int rddp_watch_removals(void)
{
    return rte_dev_event_callback_register(NULL, on_event, NULL);
}

bool rddp_is_wanted_back(uint16_t port)
{
    return port < RTE_MAX_ETHPORTS && atomic_load(&wanted_back[port]);
}
