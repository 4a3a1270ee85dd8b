/*
 * Which connections are rddp's, and which the kernel's: the user's rules, and the networks of the daemon's interfaces.
 *
 * A rule is a line such as "10.0.0.0/24:443 kernel": an address, a network, or * for all of rddp's networks; a port, or none for
 * all; and the action rddp, kernel or rddp-or-kernel. The first one that fits decides, of the options of rddp sockets
 * (RDDP_SOCKETS_OPTIONS), of the environment (RDDP_SOCKETS_RULES), and of the system's file (/etc/rddp/sockets.rules, or the one
 * that RDDP_SOCKETS_FILE names).
 */
#ifndef RDDP_SOCKETS_RULES_H
#define RDDP_SOCKETS_RULES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum way {
    WAY_KERNEL,
    WAY_RDDP,            /* and never the kernel, whatever becomes of it */
    /*
     * The kernel once the peer's host has answered that it does not speak rddp (EHOSTDOWN), or that nobody listens there
     * over rddp (ECONNREFUSED); after no other error, and only if kernel_is_near().
     */
    WAY_RDDP_OR_KERNEL,
    WAY_REFUSED          /* the rules are wrong: connect(2) fails with EACCES, and one line on standard error has said why */
};

/* A network of an interface of the daemon; IPv4 mapped. */
struct network {
    struct in6_addr address;  /* the interface's own */
    uint8_t prefix;           /* bits, 0 to 128; at least 96 for IPv4 */
    bool encrypted;           /* [interface.ipsec] requires ESP: the kernel never has it, whatever rules say */
    char interface[64];
};

#define MAX_NETWORKS 64

struct networks {
    unsigned count;
    struct network all[MAX_NETWORKS];
};

struct decision {
    enum way way;
    const struct network *network;  /* NULL: the address is in none of them */
    const char *rule;               /* the rule's text, such as "10.0.0.0/24:443 kernel", or NULL for none */
    const char *source;             /* where it is, such as "/etc/rddp/sockets.rules, line 3" */
    const char *why;                /* a sentence without its full stop, for people */
};

/*
 * Reads the environment and the file; once, while the process has one thread, since some programs clear their environment or
 * change their root later. rules_error() then says what is wrong, where, and what to do, or is NULL.
 */
void read_rules(void);
const char *rules_error(void);

/*
 * The networks that RDDP_SOCKETS_NETWORKS names, as `rddp sockets` found them at the program's start: what rddp's addresses are
 * when the daemon has ended. "INTERFACE ADDRESS/PREFIX[ encrypted]", separated by semicolons; what is not so is left out.
 * read_rules() reads them.
 */
const struct networks *known_networks(void);

/* Adds a network, unless it is there or there is no room. Link-local ones are the kernel's, and are not added. */
void add_network(struct networks *networks, const char *interface, const struct in6_addr *address, unsigned prefix, bool encrypted);

/* What becomes of connect(2) to an address (IPv4 mapped) and port. Does not ask the daemon. Any thread may call it. */
struct decision decide(const struct networks *networks, const struct in6_addr *address, uint16_t port);

/*
 * Whether the kernel reaches the address without a router, in rddp's own network: another route, such as the default one, may lead
 * to another host of the same address. Always true for NULL, where a rule names an address beyond the networks.
 */
bool kernel_is_near(const struct network *network, const struct in6_addr *address);

/* Whether an address is within a network's prefix. */
bool is_within(const struct in6_addr *address, const struct in6_addr *network, unsigned prefix);

#endif
