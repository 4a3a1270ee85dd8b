/* Descriptors that wake a sleeping thread when frames are received. */
#include "rddp_dpdk.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_packet.h>
#include <rte_ethdev.h>

static int ascending(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

/*
 * The packet socket of a queue: this process's sockets that are bound to the interface, in the order
 * in which the driver opened them. The driver has no call for it.
 */
static int packet_socket(unsigned int interface_index, uint16_t queue)
{
    int sockets[UINT8_MAX];
    size_t found = 0;
    DIR *descriptors = opendir("/proc/self/fd");
    struct dirent *entry;
    if (descriptors == NULL)
        return -errno;
    while (found < RTE_DIM(sockets) && (entry = readdir(descriptors)) != NULL) {
        struct sockaddr_ll address = {0};
        socklen_t length = sizeof(address);
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' &&
            getsockname(descriptor, (struct sockaddr *)&address, &length) == 0 &&
            address.sll_family == AF_PACKET &&
            (unsigned int)address.sll_ifindex == interface_index)
            sockets[found++] = descriptor;
    }
    closedir(descriptors);
    qsort(sockets, found, sizeof(sockets[0]), ascending);
    return queue < found ? sockets[queue] : -ENOTSUP;
}

int rddp_rx_interrupt_descriptor(uint16_t port, uint16_t queue)
{
    struct rte_eth_dev_info info;
    int descriptor;
    int error = rte_eth_dev_info_get(port, &info);
    if (error < 0)
        return error;
    if (strcmp(info.driver_name, "net_af_packet") == 0)
        return packet_socket(info.if_index, queue);
    descriptor = rte_eth_dev_rx_intr_ctl_q_get_fd(port, queue);
    return descriptor < 0 ? -ENOTSUP : descriptor;
}

int rddp_rx_interrupt(uint16_t port, uint16_t queue, int on)
{
    return on ? rte_eth_dev_rx_intr_enable(port, queue) : rte_eth_dev_rx_intr_disable(port, queue);
}
