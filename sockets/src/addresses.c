#include "addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>

#include "libc.h"
#include "message.h"

bool read_address(const struct sockaddr *from, socklen_t length, struct in6_addr *address, uint16_t *port) {
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    if (from != NULL && length >= sizeof ipv4 && from->sa_family == AF_INET) {
        memcpy(&ipv4, from, sizeof ipv4);
        *address = mapped(ntohl(ipv4.sin_addr.s_addr));
        *port = ntohs(ipv4.sin_port);
        return true;
    }
    /* The kernel takes one without a scope (RFC 2133), too. */
    if (from != NULL && length >= offsetof(struct sockaddr_in6, sin6_scope_id) && from->sa_family == AF_INET6) {
        memcpy(&ipv6, from, offsetof(struct sockaddr_in6, sin6_scope_id));
        *address = ipv6.sin6_addr;
        *port = ntohs(ipv6.sin6_port);
        return true;
    }
    return false;
}

void read_bound(int descriptor, struct in6_addr *address, uint16_t *port) {
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    *address = in6addr_any;
    *port = 0;
    if (LIBC(getsockname)(descriptor, (struct sockaddr *)&bound, &length) == 0) {
        (void)read_address((struct sockaddr *)&bound, length, address, port);
    }
}

int option_of(int descriptor, int level, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    return LIBC(getsockopt)(descriptor, level, name, &value, &length) == 0 ? value : 0;
}

bool is_bound_to_device(int descriptor, const char *name) {
    char device[IFNAMSIZ] = "";
    socklen_t length = sizeof device;
    return LIBC(getsockopt)(descriptor, SOL_SOCKET, SO_BINDTODEVICE, device, &length) == 0 && device[0] != '\0'
        && (name == NULL || strncmp(device, name, sizeof device) != 0);
}

bool is_unconnected(int descriptor) {
    struct tcp_info info = {.tcpi_state = 0};
    socklen_t length = sizeof info;
    int error = errno;
    bool is = LIBC(getsockopt)(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_CLOSE;
    errno = error;
    return is;
}

int tcp_domain(int descriptor) {
    int error = errno, domain = option_of(descriptor, SOL_SOCKET, SO_DOMAIN);
    bool is = (domain == AF_INET || domain == AF_INET6) && option_of(descriptor, SOL_SOCKET, SO_TYPE) == SOCK_STREAM
        && option_of(descriptor, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP;
    errno = error;
    return is ? domain : 0;
}

struct in6_addr address_of_end(const struct stream_ends *ends, bool remote) {
    const uint8_t *octets = remote ? ends->remote : ends->local;
    struct in6_addr address;
    uint32_t ipv4;
    memcpy(&address, octets, sizeof address);
    memcpy(&ipv4, octets, sizeof ipv4);
    return ends->family == AF_INET ? mapped(ntohl(ipv4)) : address;
}

void store_address(int domain, const struct in6_addr *from, uint16_t port, struct sockaddr *address, socklen_t *length) {
    if (address == NULL || length == NULL) {
        return;
    }
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    memcpy(&ipv4.sin_addr, &from->s6_addr[12], sizeof ipv4.sin_addr);
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_addr = *from, .sin6_port = htons(port)};
    socklen_t own = domain == AF_INET ? sizeof ipv4 : sizeof ipv6;
    memcpy(address, domain == AF_INET ? (void *)&ipv4 : (void *)&ipv6, *length < own ? *length : own);
    *length = own;
}
