#include "rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define SYSTEM_FILE "/etc/rddp/sockets.rules"
#define MAX_RULES 1024u
#define MAX_FILE 65536u
#define LONGEST_RULE 128u

static const char *const ACTIONS[] = {[WAY_KERNEL] = "kernel", [WAY_RDDP] = "rddp", [WAY_RDDP_OR_KERNEL] = "rddp-or-kernel"};

struct rule {
    bool any;     /* *: all of rddp's networks */
    struct in6_addr address;
    unsigned prefix;
    unsigned port;  /* 0: all */
    enum way way;
    const char *text, *source;
};

static struct rule *rules;
static unsigned count;
static struct networks known;
static char error[512];

bool is_within(const struct in6_addr *address, const struct in6_addr *network, unsigned prefix) {
    unsigned octets = prefix / 8, rest = prefix % 8;
    return memcmp(address, network, octets) == 0
        && (rest == 0 || (address->s6_addr[octets] ^ network->s6_addr[octets]) >> (8 - rest) == 0);
}

void add_network(struct networks *networks, const char *interface, const struct in6_addr *address, unsigned prefix, bool encrypted) {
    if (IN6_IS_ADDR_LINKLOCAL(address) || prefix > 128 || networks->count == MAX_NETWORKS) {
        return;
    }
    for (unsigned i = 0; i < networks->count; i++) {
        struct network *each = &networks->all[i];
        if (each->prefix == prefix && memcmp(&each->address, address, sizeof *address) == 0
            && strcmp(each->interface, interface) == 0) {
            each->encrypted |= encrypted;
            return;
        }
    }
    struct network *added = &networks->all[networks->count++];
    *added = (struct network){.address = *address, .prefix = (uint8_t)prefix, .encrypted = encrypted};
    (void)snprintf(added->interface, sizeof added->interface, "%s", interface);
}

/* ---- Reading ---- */

/* A whole number up to a limit, of digits alone. */
static bool read_number(const char *text, unsigned most, unsigned *number) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != '\0') {
        return false;
    }
    *number = (unsigned)strtoul(text, NULL, 10);
    return *number <= most;
}

/* "10.0.0.1", "10.0.0.0/24", "fd00::/64"; without a prefix all bits count. IPv4 is mapped. */
static bool read_prefixed(char *text, struct in6_addr *address, unsigned *prefix) {
    char *slash = strchr(text, '/');
    if (slash != NULL) {
        *slash++ = '\0';
    }
    struct in_addr ipv4;
    unsigned bits = 128, before = 0;
    if (inet_pton(AF_INET, text, &ipv4) == 1) {
        *address = mapped(ntohl(ipv4.s_addr));
        bits = 32;
        before = 96;
    } else if (inet_pton(AF_INET6, text, address) != 1) {
        return false;
    }
    *prefix = bits;
    if (slash != NULL && !read_number(slash, bits, prefix)) {
        return false;
    }
    *prefix += before;
    return true;
}

/* "10.0.0.1", "10.0.0.0/24:443", "*:443", "fd00::/64", "[fd00::/64]:443". NULL, or what is wrong. */
static const char *read_place(char *text, struct rule *rule) {
    char *port = NULL;
    if (*text == '[') {
        char *end = strchr(text, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':')) {
            return "a bracket is not closed; write [ADDRESS/PREFIX]:PORT";
        }
        *end = '\0';
        text++;
        port = end[1] == ':' ? end + 2 : NULL;
    } else {
        char *colon = strchr(text, ':');
        /* Several colons are an IPv6 address. */
        if (colon != NULL && strchr(colon + 1, ':') == NULL) {
            *colon = '\0';
            port = colon + 1;
        }
    }
    if (port != NULL && (!read_number(port, 65535, &rule->port) || rule->port == 0)) {
        return "the port is no number from 1 to 65535; leave it out, with its colon, for all ports";
    }
    rule->any = strcmp(text, "*") == 0;
    if (!rule->any && !read_prefixed(text, &rule->address, &rule->prefix)) {
        return "this is no address and no network; write 10.0.0.1, 10.0.0.0/24, fd00::/64, or * for all of rddp's networks";
    }
    return NULL;
}

static const char *read_rule(char *text, struct rule *rule) {
    char *rest;
    char *place = strtok_r(text, " \t\r", &rest);
    const char *action = strtok_r(NULL, " \t\r", &rest);
    if (action == NULL) {
        return "the action is missing; write it behind the address: rddp, kernel or rddp-or-kernel";
    }
    if (strtok_r(NULL, " \t\r", &rest) != NULL) {
        return "there is something behind the action; write one rule a line: ADDRESS[/PREFIX][:PORT] ACTION";
    }
    for (unsigned i = 0; i < sizeof ACTIONS / sizeof ACTIONS[0]; i++) {
        if (strcmp(action, ACTIONS[i]) == 0) {
            rule->way = (enum way)i;
            return read_place(place, rule);
        }
    }
    return "there is no such action; write rddp, kernel or rddp-or-kernel";
}

static void complain(const char *source, const char *line, const char *wrong) {
    if (error[0] == '\0') {
        (void)snprintf(error, sizeof error, "%s: %s%.100s%s%s", source, line == NULL ? "" : "'", line == NULL ? "" : line,
            line == NULL ? "" : "': ", wrong);
    }
}

static void add_rule(const char *text, const char *source) {
    if (strlen(text) > LONGEST_RULE) {
        complain(source, text, "this is too long for a rule; write ADDRESS[/PREFIX][:PORT] ACTION");
        return;
    }
    char words[LONGEST_RULE + 1];
    memcpy(words, text, strlen(text) + 1);
    struct rule rule = {.text = strdup(text), .source = strdup(source)};
    const char *wrong = read_rule(words, &rule);
    struct rule *more = wrong != NULL || count == MAX_RULES ? NULL : realloc(rules, (count + 1) * sizeof *rules);
    if (more == NULL || rule.text == NULL || rule.source == NULL) {
        complain(source, text, wrong != NULL ? wrong
            : count == MAX_RULES             ? "there are more than 1024 rules; write networks instead of addresses"
                                             : "there is no memory for the rules");
        free((void *)rule.text);
        free((void *)rule.source);
        rules = more == NULL ? rules : more;
        return;
    }
    rules = more;
    rules[count++] = rule;
}

/* Cuts a line at its comment and its spaces; NULL if nothing is left. */
static char *trim(char *line) {
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t\r");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL) {
        line[--length] = '\0';
    }
    return length == 0 ? NULL : line;
}

/* Rules at line ends and semicolons; the name is that of a file, or of something that has no lines. */
static void add_rules(char *text, const char *name, bool is_file) {
    unsigned number = 0;
    for (char *line = text, *end; line != NULL; line = end) {
        end = line + strcspn(line, is_file ? "\n" : "\n;");
        end = *end == '\0' ? NULL : (*end = '\0', end + 1);
        char source[256];
        (void)snprintf(source, sizeof source, is_file ? "%.200s, line %u" : "%.200s", name, ++number);
        char *rule = trim(line);
        if (rule != NULL) {
            add_rule(rule, source);
        }
    }
}

static void add_variable(const char *variable, const char *name) {
    const char *value = getenv(variable);
    char *text = value == NULL ? NULL : strdup(value);
    if (text != NULL) {
        add_rules(text, name, false);
        free(text);
    }
}

static void add_file(void) {
    const char *chosen = getenv("RDDP_SOCKETS_FILE");
    const char *path = chosen == NULL || *chosen == '\0' ? SYSTEM_FILE : chosen;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        if (path == chosen || (errno != ENOENT && errno != ENOTDIR)) {
            char wrong[128];
            (void)snprintf(wrong, sizeof wrong, "the rules cannot be read: %.60s; make the file readable, or remove it", strerror(errno));
            complain(path, NULL, wrong);
        }
        return;
    }
    char *text = malloc(MAX_FILE + 1);
    size_t length = 0;
    ssize_t octets = text == NULL ? -1 : 1;
    while (octets > 0 && length <= MAX_FILE) {
        octets = read(file, text + length, MAX_FILE + 1 - length);
        length += octets > 0 ? (size_t)octets : 0;
    }
    if (octets < 0) {
        complain(path, NULL, text == NULL ? "there is no memory for the rules" : "the rules cannot be read; make this a file, or remove it");
    } else if (length > MAX_FILE) {
        complain(path, NULL, "the file has more than 64 KiB; write networks instead of addresses");
    } else if (memchr(text, '\0', length) != NULL) {
        complain(path, NULL, "the file has octets that are no text; write one rule a line");
    } else {
        text[length] = '\0';
        add_rules(text, path, true);
    }
    free(text);
    (void)close(file);
}

/* Of RDDP_SOCKETS_NETWORKS. */
static void add_known(char *text) {
    char *rest, *next;
    for (char *each = strtok_r(text, ";", &next); each != NULL; each = strtok_r(NULL, ";", &next)) {
        const char *interface = strtok_r(each, " ", &rest);
        char *place = strtok_r(NULL, " ", &rest);
        const char *remark = strtok_r(NULL, " ", &rest);
        struct in6_addr address;
        unsigned prefix;
        if (place != NULL && read_prefixed(place, &address, &prefix)) {
            add_network(&known, interface, &address, prefix, remark != NULL && strcmp(remark, "encrypted") == 0);
        }
    }
}

void read_rules(void) {
    int before = errno;
    add_variable("RDDP_SOCKETS_OPTIONS", "option");
    add_variable("RDDP_SOCKETS_RULES", "RDDP_SOCKETS_RULES");
    add_file();
    const char *networks = getenv("RDDP_SOCKETS_NETWORKS");
    char *text = networks == NULL ? NULL : strdup(networks);
    if (text != NULL) {
        add_known(text);
        free(text);
    }
    errno = before;
}

const char *rules_error(void) {
    return error[0] == '\0' ? NULL : error;
}

const struct networks *known_networks(void) {
    return &known;
}

/* ---- Deciding ---- */

/* The longest prefix; for several of one network any, since which interface connects is the daemon's to say. */
static const struct network *network_of(const struct networks *networks, const struct in6_addr *address) {
    const struct network *found = NULL;
    for (unsigned i = 0; i < networks->count; i++) {
        const struct network *each = &networks->all[i];
        if (is_within(address, &each->address, each->prefix)
            && (found == NULL || each->prefix > found->prefix || (each->prefix == found->prefix && each->encrypted))) {
            found = each;
        }
    }
    return found;
}

static bool has_address(const struct networks *networks, const struct in6_addr *address) {
    for (unsigned i = 0; i < networks->count; i++) {
        if (memcmp(&networks->all[i].address, address, sizeof *address) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_loopback(const struct in6_addr *address) {
    return IN6_IS_ADDR_LOOPBACK(address) || IN6_IS_ADDR_UNSPECIFIED(address)
        || (IN6_IS_ADDR_V4MAPPED(address) && (address->s6_addr[12] == 127 || address->s6_addr[12] == 0));
}

/* The address from which the kernel sends to another one; false without a route. Nothing is sent. */
static bool source_of_kernel(const struct in6_addr *address, struct in6_addr *source) {
    bool ipv4 = IN6_IS_ADDR_V4MAPPED(address);
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } to = {.ipv6 = {.sin6_family = AF_INET6, .sin6_addr = *address, .sin6_port = htons(1)}}, from = to;
    socklen_t length = sizeof to.ipv6;
    if (ipv4) {
        to.ipv4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(1)};
        memcpy(&to.ipv4.sin_addr, &address->s6_addr[12], 4);
        length = sizeof to.ipv4;
    }
    int probe = socket(ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) {
        return false;
    }
    bool has = syscall(SYS_connect, probe, &to, length) == 0 && syscall(SYS_getsockname, probe, &from, &length) == 0;
    (void)close(probe);
    if (has && ipv4) {
        *source = mapped(ntohl(from.ipv4.sin_addr.s_addr));
    } else if (has) {
        *source = from.ipv6.sin6_addr;
    }
    return has;
}

/*
 * Whether the kernel has the address: it then sends from that very address. Whether bind(2) succeeds would not tell, since
 * net.ipv4.ip_nonlocal_bind allows any.
 */
static bool is_of_kernel(const struct in6_addr *address) {
    int before = errno;
    struct in6_addr source;
    bool is = source_of_kernel(address, &source) && memcmp(&source, address, sizeof source) == 0;
    errno = before;
    return is;
}

bool kernel_is_near(const struct network *network, const struct in6_addr *address) {
    int before = errno;
    struct in6_addr source;
    bool is = network == NULL || (source_of_kernel(address, &source) && is_within(&source, &network->address, network->prefix));
    errno = before;
    return is;
}

static const struct rule *rule_of(const struct network *network, const struct in6_addr *address, uint16_t port) {
    for (unsigned i = 0; i < count; i++) {
        const struct rule *each = &rules[i];
        if ((each->port == 0 || each->port == port)
            && (each->any ? network != NULL : is_within(address, &each->address, each->prefix))) {
            return each;
        }
    }
    return NULL;
}

static struct decision by_rules(const struct network *network, const struct rule *rule) {
    struct decision made = {.way = WAY_KERNEL, .network = network, .why = "no interface of rddp is in its network"};
    if (network != NULL) {
        made.way = WAY_RDDP;
        made.why = "it is in an interface's network, and no rule lets the kernel have it";
    }
    if (rule == NULL) {
        return made;
    }
    made.way = rule->way;
    made.rule = rule->text;
    made.source = rule->source;
    made.why = "a rule says so";
    if (network != NULL && network->encrypted && rule->way != WAY_RDDP) {
        made.way = WAY_RDDP;
        made.why = "the interface requires encryption, and the kernel would send in clear, so the rule does not count";
    }
    return made;
}

/* Once. */
static void print_error(void) {
    static atomic_flag printed = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&printed)) {
        char line[sizeof error + 64];
        int length = snprintf(line, sizeof line, "rddp sockets %d: nothing connects to rddp's networks: %s\n", (int)getpid(), error);
        (void)!write(STDERR_FILENO, line, (size_t)length);
    }
}

struct decision decide(const struct networks *networks, const struct in6_addr *address, uint16_t port) {
    if (is_loopback(address) || IN6_IS_ADDR_LINKLOCAL(address)) {
        return (struct decision){.way = WAY_KERNEL, .why = "the kernel has all loopback and link-local addresses"};
    }
    const struct network *network = network_of(networks, address);
    const struct rule *rule = rule_of(network, address, port);
    if (network == NULL && rule == NULL) {
        return by_rules(NULL, NULL);
    }
    if (!has_address(networks, address) && is_of_kernel(address)) {
        return (struct decision){.way = WAY_KERNEL, .network = network, .why = "the kernel of this host has the address"};
    }
    if (error[0] != '\0') {
        print_error();
        return (struct decision){.way = WAY_REFUSED, .network = network, .why = error};
    }
    return by_rules(network, rule);
}
