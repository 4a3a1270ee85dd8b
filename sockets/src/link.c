#include "link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "settings.h"
#include "stream.h"

#define MAX_LINKS 16
/* Without a daemon, the next one is looked for after that time. */
#define NEXT_LOOK_NANOS 1000000000u

void (*session_opened)(void);

static struct link all[MAX_LINKS];
static unsigned count;
static uint64_t looks_at;
static struct networks reached;

/*
 * Only `rddp sockets` has asked the daemon which interfaces require encryption: one that it has not named is taken for one that
 * does, so that no rule makes its octets go in clear.
 */
static void add_unknown(const char *interface, const struct in6_addr *address, unsigned prefix) {
    for (unsigned i = 0; i < reached.count; i++) {
        const struct network *each = &reached.all[i];
        if (each->prefix == prefix && memcmp(&each->address, address, sizeof *address) == 0) {
            return;
        }
    }
    add_network(&reached, interface, address, prefix, true);
}

static void add_networks(const struct rddp_interface *interface) {
    if (interface->address != 0) {
        struct in6_addr address = mapped(interface->address);
        add_unknown(interface->name, &address, 96u + interface->prefix);
    }
    for (unsigned i = 0; i < interface->ipv6_count; i++) {
        add_unknown(interface->name, &interface->ipv6[i], interface->ipv6_prefix[i]);
    }
}

const struct networks *rddp_networks(void) {
    unsigned number;
    links(&number);
    return reached.count > 0 ? &reached : known_networks();
}

static void find_links(void) {
    struct rddp_interface interfaces[MAX_LINKS];
    unsigned found = 0;
    uint64_t time = now();
    if (time < looks_at) {
        return;
    }
    if (rddp_list_interfaces(daemon_socket(), interfaces, MAX_LINKS, &found) != RDDP_OK) {
        sockets_log("no interfaces: %s", rddp_error());
        looks_at = time + NEXT_LOOK_NANOS;
        return;
    }
    const char *wanted = chosen_interface();
    reached = *known_networks();
    for (unsigned i = 0; i < found && i < MAX_LINKS; i++) {
        add_networks(&interfaces[i]);
        if (wanted == NULL || strcmp(wanted, interfaces[i].name) == 0) {
            all[count++].interface = interfaces[i];
        }
    }
    if (count == 0) {
        sockets_log("the daemon has no interface %s", wanted);
        looks_at = time + NEXT_LOOK_NANOS;
    }
}

struct link *links(unsigned *number) {
    if (count == 0) {
        int before = errno;
        find_links();
        errno = before;
    }
    *number = count;
    return all;
}

/* On the session's thread. */
static void observe(void *argument, unsigned type, void *object) {
    struct link *link = argument;
    (void)type;
    (void)object;
    atomic_store(&link->events, true);
}

rddp_session *open_link(struct link *link) {
    if (link->session != NULL) {
        return link->session;
    }
    struct rddp_session_options options = {.interface_name = link->interface.name, .send_queue = SEND_QUEUE,
        .receive_queue = SLOTS, .requests = 4096, .completions = 8192, .regions = 1024, .memories = 1024};
    rddp_session *session;
    link->reason = rddp_open(daemon_socket(), &options, &session);
    if (link->reason != RDDP_OK) {
        /* The configuration may allow less. */
        options.requests = options.completions = options.regions = options.memories = 0;
        link->reason = rddp_open(daemon_socket(), &options, &session);
        if (link->reason != RDDP_OK) {
            sockets_log("no session at %s: %s", link->interface.name, rddp_error());
            return NULL;
        }
    }
    pthread_mutex_lock(&session->lock);
    session->observer = observe;
    session->observer_argument = link;
    pthread_mutex_unlock(&session->lock);
    struct rddp_limits limits;
    rddp_session_limits(session, &limits);
    link->most_streams = limits.completions / REQUESTS_OF_STREAM;
    link->session = session;
    if (session_opened != NULL) {
        session_opened();
    }
    return session;
}

static void forget_buffers(struct link *link) {
    while (link->spare != NULL) {
        struct buffer *buffer = link->spare;
        link->spare = buffer->next;
        free(buffer);
    }
}

void close_link(struct link *link) {
    forget_buffers(link);
    rddp_close(link->session);
    link->session = NULL;
}

void forget_links(void) {
    for (unsigned i = 0; i < count; i++) {
        rddp_session *session = all[i].session;
        if (session != NULL) {
            int descriptors[] = {session->socket, session->daemon_process, session->stop, session->wake,
                session->signal, session->epoll};
            for (size_t j = 0; j < sizeof descriptors / sizeof descriptors[0]; j++) {
                if (descriptors[j] >= 0) {
                    close(descriptors[j]);
                }
            }
            unmap_shared(&session->ring_memory);
            session->has_thread = false;
            free_memories(session);
        }
        all[i].session = NULL;
        all[i].socks = NULL;
        all[i].streams = 0;
        all[i].events = false;
        forget_buffers(&all[i]);
    }
}

/* ---- Addresses ---- */

static bool same_bits(const struct in6_addr *one, const struct in6_addr *other, unsigned bits) {
    unsigned octets = bits / 8, rest = bits % 8;
    return memcmp(one, other, octets) == 0
        && (rest == 0 || (one->s6_addr[octets] ^ other->s6_addr[octets]) >> (8 - rest) == 0);
}

bool in_network(const struct link *link, const struct in6_addr *address) {
    const struct rddp_interface *interface = &link->interface;
    struct in6_addr own = mapped(interface->address);
    if (interface->address != 0 && same_bits(&own, address, 96u + interface->prefix)) {
        return true;
    }
    for (unsigned i = 0; i < interface->ipv6_count; i++) {
        /* Link-local addresses are the kernel's: their zones name its links. */
        if (!IN6_IS_ADDR_LINKLOCAL(&interface->ipv6[i])
            && same_bits(&interface->ipv6[i], address, interface->ipv6_prefix[i])) {
            return true;
        }
    }
    return false;
}

bool has_address(const struct link *link, const struct in6_addr *address) {
    const struct rddp_interface *interface = &link->interface;
    struct in6_addr own = mapped(interface->address);
    bool has = interface->address != 0 && memcmp(&own, address, sizeof own) == 0;
    for (unsigned i = 0; i < interface->ipv6_count && !has; i++) {
        has = memcmp(&interface->ipv6[i], address, sizeof *address) == 0;
    }
    return has;
}

struct link *link_to(const struct in6_addr *peer, const struct in6_addr *from) {
    unsigned number;
    struct link *found = NULL, *list = links(&number);
    for (unsigned i = 0; i < number; i++) {
        if (in_network(&list[i], peer) && (found == NULL || has_address(&list[i], from))) {
            found = &list[i];
        }
    }
    return found;
}

bool read_address(const struct sockaddr *address, socklen_t length, struct in6_addr *to, uint16_t *port) {
    if (address == NULL) {
        return false;
    }
    if (length >= (socklen_t)sizeof(struct sockaddr_in) && address->sa_family == AF_INET) {
        struct sockaddr_in ipv4;
        memcpy(&ipv4, address, sizeof ipv4);
        *to = ntohl(ipv4.sin_addr.s_addr) == INADDR_ANY ? in6addr_any : mapped(ntohl(ipv4.sin_addr.s_addr));
        *port = ntohs(ipv4.sin_port);
        return true;
    }
    if (length >= (socklen_t)sizeof(struct sockaddr_in6) - 4 && address->sa_family == AF_INET6) {
        struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
        memcpy(&ipv6, address, length < (socklen_t)sizeof ipv6 ? length : sizeof ipv6);
        *to = ipv6.sin6_addr;
        *port = ntohs(ipv6.sin6_port);
        return true;
    }
    return false;
}

/* ---- Memory ---- */

struct buffer *get_buffer(struct link *link) {
    struct buffer *buffer = link->spare;
    if (buffer != NULL) {
        link->spare = buffer->next;
        return buffer;
    }
    buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL
        || rddp_allocate(link->session, BUFFER_OCTETS, RDDP_LOCAL_WRITE, &buffer->region) != RDDP_OK) {
        sockets_log("no memory for a connection: %s", rddp_error());
        free(buffer);
        return NULL;
    }
    buffer->address = rddp_region_address(buffer->region);
    buffer->stag = rddp_region_stag(buffer->region);
    return buffer;
}

void put_buffer(struct link *link, struct buffer *buffer) {
    buffer->next = link->spare;
    link->spare = buffer;
}
