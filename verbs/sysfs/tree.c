#include "tree.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first thing that has failed. */
static int failure;

static void note(bool done) {
    failure = failure == 0 && !done ? errno : failure;
}

/* Makes a folder if there is none, and makes it the current one; leave() goes back. */
static void enter(const char *name) {
    note((mkdir(name, 0755) == 0 || errno == EEXIST) && chdir(name) == 0);
}

static void leave(void) {
    note(chdir("..") == 0);
}

/* Writes a file with one line. */
__attribute__((format(printf, 2, 3))) static void put(const char *name, const char *format, ...) {
    if (failure != 0) {
        return;
    }
    FILE *file = fopen(name, "we");
    if (file == NULL) {
        note(false);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    note(fclose(file) == 0);
}

/* Octets as sysfs has them: in groups of four digits. */
static const char *grouped(const uint8_t *octets, size_t count) {
    static char text[64];
    size_t at = 0;
    for (size_t i = 0; i < count; i += 2) {
        at += (size_t)sprintf(text + at, "%s%02x%02x", i == 0 ? "" : ":", octets[i], octets[i + 1]);
    }
    return text;
}

/* Puts the name of the kernel's interface that has an address where the caller says; false if none has. */
static bool find_kernels(const struct in6_addr *address, char name[64]) {
    struct ifaddrs *all;
    bool found = false;
    if (getifaddrs(&all) != 0) {
        return false;
    }
    for (const struct ifaddrs *each = all; each != NULL && !found; each = each->ifa_next) {
        if (each->ifa_addr != NULL && each->ifa_addr->sa_family == AF_INET && IN6_IS_ADDR_V4MAPPED(address)) {
            const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)each->ifa_addr;
            found = memcmp(&in->sin_addr, address->s6_addr + 12, 4) == 0;
        } else if (each->ifa_addr != NULL && each->ifa_addr->sa_family == AF_INET6) {
            const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)(const void *)each->ifa_addr;
            found = IN6_ARE_ADDR_EQUAL(&in->sin6_addr, address);
        }
        if (found) {
            snprintf(name, 64, "%s", each->ifa_name);
        }
    }
    freeifaddrs(all);
    return found;
}

/* The addresses that are the device's GIDs, in that order. */
static unsigned list_gids(const struct rddp_interface *interface, struct in6_addr gids[1 + RDDP_MAX_IPV6]) {
    unsigned count = 0;
    if (interface->address != 0) {
        uint32_t octets = htonl(interface->address);
        gids[0] = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
        memcpy(gids[0].s6_addr + 12, &octets, sizeof octets);
        count = 1;
    }
    memcpy(gids + count, interface->ipv6, interface->ipv6_count * sizeof gids[0]);
    return count + interface->ipv6_count;
}

/* A folder with a file for each GID, named by its index. */
static void put_gids(const struct in6_addr *gids, unsigned count) {
    char index[16];
    enter("gids");
    for (unsigned i = 0; i < count; i++) {
        snprintf(index, sizeof index, "%u", i);
        put(index, "%s", grouped(gids[i].s6_addr, sizeof gids[i].s6_addr));
    }
    leave();
}

static void put_attributes_of_gids(const struct in6_addr *gids, unsigned count, bool roce) {
    char index[16], kernels[64];
    enter("gid_attrs");
    enter("types");
    for (unsigned i = 0; i < count; i++) {
        snprintf(index, sizeof index, "%u", i);
        put(index, "%s", roce ? "RoCE v2" : "IB/RoCE v1");
    }
    leave();
    enter("ndevs");
    for (unsigned i = 0; i < count; i++) {
        if (find_kernels(&gids[i], kernels)) {
            snprintf(index, sizeof index, "%u", i);
            put(index, "%s", kernels);
        }
    }
    leave();
    leave();
}

static void put_port(const struct in6_addr *gids, unsigned count, bool roce) {
    enter("ports");
    enter("1");
    put("state", "4: ACTIVE");
    put("phys_state", "5: LinkUp");
    put("link_layer", "Ethernet");
    put("rate", "40 Gb/sec (4X QDR)");
    put("lid", "0x0");
    put("lid_mask_count", "0");
    put("sm_lid", "0x0");
    put("sm_sl", "0");
    put("cap_mask", "0x00000000");
    enter("pkeys");
    put("0", "0xffff");
    leave();
    put_gids(gids, count);
    put_attributes_of_gids(gids, count, roce);
    leave();
    leave();
}

/* The kernel has a device's parts below `device`: the interfaces of its network, if there are some. */
static void put_parts(const struct in6_addr *gids, unsigned count, const char *name, const char *verbs) {
    char kernels[64], path[128];
    enter("device");
    enter("infiniband");
    enter(name);
    leave();
    leave();
    enter("infiniband_verbs");
    enter(verbs);
    leave();
    leave();
    for (unsigned i = 0; i < count; i++) {
        if (find_kernels(&gids[i], kernels)) {
            snprintf(path, sizeof path, "/sys/class/net/%s", kernels);
            enter("net");
            note(symlink(path, kernels) == 0 || errno == EEXIST);
            leave();
        }
    }
    leave();
}

static void put_device(const struct rddp_interface *interface, unsigned number, bool roce) {
    const uint8_t *mac = interface->mac;
    const uint8_t guid[] = {mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
    struct in6_addr gids[1 + RDDP_MAX_IPV6];
    unsigned count = list_gids(interface, gids);
    char name[32], verbs[32];
    snprintf(name, sizeof name, "rddp%u", number);
    snprintf(verbs, sizeof verbs, "uverbs%u", number);
    enter("infiniband");
    enter(name);
    put("node_type", "%s", roce ? "1: CA" : "4: RNIC");
    put("node_guid", "%s", grouped(guid, sizeof guid));
    put("sys_image_guid", "%s", grouped(guid, sizeof guid));
    put("node_desc", "rddp, interface %s", interface->name);
    put("fw_ver", "rddp 0.2.0");
    put_port(gids, count, roce);
    put_parts(gids, count, name, verbs);
    leave();
    leave();
    enter("infiniband_verbs");
    enter(verbs);
    put("ibdev", "%s", name);
    put("abi_version", "1");
    leave();
    leave();
}

int write_tree(const struct rddp_interface *interfaces, unsigned count) {
    const char *as = getenv("RDDP_VERBS_AS");
    bool roce = as != NULL && strcmp(as, "roce") == 0;
    for (unsigned i = 0; i < count; i++) {
        put_device(&interfaces[i], i, roce);
    }
    return failure;
}
