/* Socket addresses of ids. */
#include <arpa/inet.h>

#include "cm/cm.h"
#include "message.h"

struct in6_addr address_in(const struct sockaddr *address) {
    return address->sa_family == AF_INET6
        ? ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr
        : mapped(ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr));
}

void set_address(struct sockaddr_storage *to, const struct in6_addr *address, __be16 port) {
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        *(struct sockaddr_in *)to = (struct sockaddr_in){
            .sin_family = AF_INET, .sin_port = port, .sin_addr = {htonl(unmapped(address))}};
    } else {
        *(struct sockaddr_in6 *)to = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = *address};
    }
}

VERBS __be16 rdma_get_src_port(struct rdma_cm_id *ibv) {
    return *port_of(&ibv->route.addr.src_storage);
}

VERBS __be16 rdma_get_dst_port(struct rdma_cm_id *ibv) {
    return *port_of(&ibv->route.addr.dst_storage);
}
