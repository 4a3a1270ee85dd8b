/*
 * rddp-sockets-rules check [PROGRAM]: says what is wrong with the rules, and why a program's connections are the kernel's in spite of them.
 * rddp-sockets-rules networks: prints the networks of the daemon's interfaces for RDDP_SOCKETS_NETWORKS.
 * rddp-sockets-rules explain HOST:PORT: says what becomes of a connection there, and why. It tries that over rddp, by a process of
 * its own with the rule "rddp" (probe ADDRESS PORT), so it has to run with the library, as `rddp sockets` starts it.
 *
 * Ends with 1 if something is wrong with the rules, the daemon or the name, and has said what.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"
#include "program.h"
#include "rddp.h"
#include "rules.h"

#define MAX_INTERFACES 64
#define PROBE_MS 5000
#define ANSWER_MS 10000
/* Of the probe: its answer is an errno, or 0, as its exit status; this is none. */
#define NO_ANSWER 255

__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("rddp: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* IPv4 as IPv4. */
static const char *text_of(const struct in6_addr *address, char text[INET6_ADDRSTRLEN]) {
    bool ipv4 = IN6_IS_ADDR_V4MAPPED(address);
    return inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? (const void *)&address->s6_addr[12] : address, text, INET6_ADDRSTRLEN);
}

static unsigned shown_prefix(const struct network *network) {
    return network->prefix - (IN6_IS_ADDR_V4MAPPED(&network->address) ? 96u : 0u);
}

/*
 * Asks the daemon which interfaces need ESP: a bit for each, in their order. That is in the answer to SocketsHello (docs/ipc.md);
 * the session ends at once.
 */
static uint64_t encrypted_interfaces(const char *path) {
    enum { SOCKETS_HELLO = 49, SOCKETS_WELCOME = 50, SOCKETS_VERSION = 11 };
    static struct message message;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int daemon = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (daemon < 0 || connect(daemon, (struct sockaddr *)&address, sizeof address) != 0) {
        give_up("no connection to the daemon at %s: %s", path, strerror(errno));
    }
    begin_message(&message, SOCKETS_HELLO);
    message.request = 1;
    put_u32(&message, SOCKETS_VERSION);
    put_text(&message, "rddp-sockets-rules");
    struct pollfd polled = {.fd = daemon, .events = POLLIN};
    if (send_message(daemon, &message) != TRANSFERRED || poll(&polled, 1, ANSWER_MS) != 1
        || receive_message(daemon, &message) != TRANSFERRED) {
        give_up("the daemon at %s does not answer: %s", path, strerror(errno));
    }
    if (message.type == REFUSED) {
        char text[512];
        (void)get_u32(&message);
        (void)get_u32(&message);
        get_text(&message, text, sizeof text);
        give_up("the daemon at %s has no session for sockets: %s", path, text);
    }
    /* Version, sections, streams, listeners, octets of two rings. */
    for (unsigned i = 0; i < 6; i++) {
        (void)get_u32(&message);
    }
    uint64_t encrypted = get_u64(&message);
    if (message.type != SOCKETS_WELCOME || !is_complete(&message)) {
        give_up("the daemon at %s has another release than rddp sockets: start it again", path);
    }
    close_descriptors(&message);
    (void)close(daemon);
    return encrypted;
}

static void print_networks(void) {
    struct rddp_interface interfaces[MAX_INTERFACES];
    struct networks networks = {.count = 0};
    unsigned found = 0;
    const char *path = rddp_default_socket();
    if (rddp_list_interfaces(path, interfaces, MAX_INTERFACES, &found) != RDDP_OK) {
        give_up("the daemon at %s does not say its interfaces: %s", path, rddp_error());
    }
    uint64_t encrypted = encrypted_interfaces(path);
    for (unsigned i = 0; i < found && i < MAX_INTERFACES; i++) {
        bool needs_esp = (encrypted >> i & 1) != 0;
        const struct rddp_interface *each = &interfaces[i];
        if (each->address != 0) {
            struct in6_addr address = mapped(each->address);
            add_network(&networks, each->name, &address, 96u + each->prefix, needs_esp);
        }
        for (unsigned j = 0; j < each->ipv6_count; j++) {
            add_network(&networks, each->name, &each->ipv6[j], each->ipv6_prefix[j], needs_esp);
        }
    }
    for (unsigned i = 0; i < networks.count; i++) {
        char text[INET6_ADDRSTRLEN];
        const struct network *each = &networks.all[i];
        printf("%s%s %s/%u%s", i == 0 ? "" : ";", each->interface, text_of(&each->address, text), shown_prefix(each),
            each->encrypted ? " encrypted" : "");
    }
    putchar('\n');
}

/* ---- probe ---- */

/* Connects as any program does. Ends with 0, or the errno. */
static int probe(const char *address, const char *port) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *to;
    if (getaddrinfo(address, port, &hints, &to) != 0) {
        return EINVAL;
    }
    int descriptor = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || (connect(descriptor, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS)) {
        return errno;
    }
    struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
    int outcome = 0;
    socklen_t length = sizeof outcome;
    if (poll(&polled, 1, PROBE_MS) != 1) {
        return NO_ANSWER;
    }
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &outcome, &length) == 0 ? outcome : errno;
}

/* What the probe says, in a process of its own, since the library has read its rules already. */
static int probed(const char *address, unsigned port) {
    char number[8], rule[INET6_ADDRSTRLEN + 16];
    (void)snprintf(number, sizeof number, "%u", port);
    (void)snprintf(rule, sizeof rule, "[%s]:%u rddp", address, port);
    pid_t child = fork();
    if (child == 0) {
        (void)setenv("RDDP_SOCKETS_OPTIONS", rule, 1);
        (void)execl("/proc/self/exe", "rddp-sockets-rules", "probe", address, number, (char *)NULL);
        _exit(NO_ANSWER);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : NO_ANSWER;
}

static const char *meaning(int answer) {
    switch (answer) {
        case 0: return "a program listens there over rddp";
        case NO_ANSWER: return "no answer within 5 s";
        case ECONNREFUSED: return "the host answers that nobody listens at that port over rddp";
        case EHOSTDOWN: return "the host answers that it does not speak rddp";
        case ENETDOWN: return "there is no daemon";
        case ENETUNREACH: return "no interface reaches the address";
        case ETIMEDOUT:
        case EHOSTUNREACH: return "the host does not answer";
        default: return strerror(answer);
    }
}

static void explain_connect(const struct decision *made, const struct in6_addr *address, int answer) {
    bool refused = answer == EHOSTDOWN || answer == ECONNREFUSED;
    if (answer == 0) {
        puts("  connect    over rddp");
    } else if (answer == NO_ANSWER) {
        puts("  connect    waits for the host, and fails if it does not answer");
    } else if (made->way == WAY_RDDP_OR_KERNEL && refused && kernel_is_near(made->network, address)) {
        puts("  connect    by the kernel");
    } else if (made->way == WAY_RDDP_OR_KERNEL && refused) {
        printf("  connect    fails: %s; the kernel's route leads through a router, perhaps to another host\n", strerror(answer));
    } else {
        printf("  connect    fails: %s\n", strerror(answer));
    }
}

static void explain_address(const struct in6_addr *address, unsigned port) {
    struct decision made = decide(known_networks(), address, (uint16_t)port);
    char text[INET6_ADDRSTRLEN];
    printf("%s port %u\n", text_of(address, text), port);
    if (made.network != NULL) {
        char own[INET6_ADDRSTRLEN];
        printf("  interface  %s, %s/%u%s\n", made.network->interface, text_of(&made.network->address, own), shown_prefix(made.network),
            made.network->encrypted ? ", which requires encryption" : "");
    } else {
        puts("  interface  none");
    }
    if (made.rule != NULL) {
        printf("  rule       %s (%s)\n", made.rule, made.source);
    } else {
        puts("  rule       none");
    }
    static const char *const WAYS[] = {[WAY_KERNEL] = "the kernel", [WAY_RDDP] = "rddp only", [WAY_RDDP_OR_KERNEL] = "rddp, or the kernel",
        [WAY_REFUSED] = "refused"};
    printf("  way        %s: %s\n", WAYS[made.way], made.why);
    if (made.way == WAY_KERNEL) {
        puts("  connect    by the kernel");
        return;
    }
    fflush(stdout);
    int answer = probed(text, port);
    printf("  daemon     %s\n", meaning(answer));
    explain_connect(&made, address, answer);
}

/* "HOST:PORT", "[HOST]:PORT". */
static void explain(char *place) {
    char *colon = strrchr(place, ':');
    if (colon == NULL || colon == place || colon[1] == '\0') {
        give_up("--explain=%s: write HOST:PORT; an IPv6 address in brackets", place);
    }
    *colon = '\0';
    size_t length = strlen(place);
    char *host = place;
    if (*host == '[' && host[length - 1] == ']') {
        host[length - 1] = '\0';
        host++;
    }
    char *end;
    unsigned long number = strtoul(colon + 1, &end, 10);
    if (*end == '\0' && (number < 1 || number > 65535)) {
        give_up("--explain=%s:%s: the port is no number from 1 to 65535", host, colon + 1);
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all;
    int result = getaddrinfo(host, colon + 1, &hints, &all);
    if (result != 0) {
        give_up("--explain=%s:%s: %s", host, colon + 1, gai_strerror(result));
    }
    for (const struct addrinfo *each = all; each != NULL; each = each->ai_next) {
        if (each->ai_family == AF_INET) {
            const struct sockaddr_in *to = (const struct sockaddr_in *)each->ai_addr;
            struct in6_addr address = mapped(ntohl(to->sin_addr.s_addr));
            explain_address(&address, ntohs(to->sin_port));
        } else if (each->ai_family == AF_INET6) {
            const struct sockaddr_in6 *to = (const struct sockaddr_in6 *)each->ai_addr;
            explain_address(&to->sin6_addr, ntohs(to->sin6_port));
        }
    }
    freeaddrinfo(all);
}

/* Only warns: the program may start others that the library reaches. NULL: none. */
static void warn_out_of_reach(const char *path) {
    const char *why = path == NULL ? NULL : why_out_of_reach(path);
    if (why != NULL) {
        fprintf(stderr, "rddp: warning: %s %s: its own connections are the kernel's\n", path, why);
    }
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "probe") == 0) {
        return probe(arguments[2], arguments[3]);
    }
    read_rules();
    if (rules_error() != NULL) {
        give_up("%s", rules_error());
    }
    if ((count == 2 || count == 3) && strcmp(arguments[1], "check") == 0) {
        warn_out_of_reach(arguments[2]);
        return 0;
    }
    if (count == 2 && strcmp(arguments[1], "networks") == 0) {
        print_networks();
    } else if (count == 3 && strcmp(arguments[1], "explain") == 0) {
        explain(arguments[2]);
    } else {
        give_up("usage: rddp-sockets-rules check [PROGRAM], networks, or explain HOST:PORT");
    }
    return 0;
}
