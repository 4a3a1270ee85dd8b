/* Connections by IPv6, the ends of both directions, writers that are faster than their readers, and readers beside others. */
#include "ends.h"

#include <sys/mman.h>

#define FAR_IPV6 "2001:db8::2"
#define MUCH (4u << 20)

/* ---- IPv6 ---- */

static struct sockaddr_in6 ipv6_address(const char *address, uint16_t port) {
    struct sockaddr_in6 made = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    CHECK(inet_pton(AF_INET6, address, &made.sin6_addr) == 1);
    return made;
}

static int listen_at_ipv6(const char *address, bool only, uint16_t *port) {
    struct sockaddr_in6 at = ipv6_address(address, 0);
    socklen_t length = sizeof at;
    int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), on = only;
    CHECK(listener >= 0);
    CHECK(setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0);
    CHECK(listen(listener, 8) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&at, &length) == 0 && length == sizeof at);
    *port = ntohs(at.sin6_port);
    return listener;
}

static int begin_connect_ipv6(const char *address, uint16_t port) {
    struct sockaddr_in6 to = ipv6_address(address, port);
    int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    CHECK(made >= 0);
    CHECK_ERRNO(EINPROGRESS, connect(made, (struct sockaddr *)&to, sizeof to) == -1);
    return made;
}

static bool is_at(const struct sockaddr_in6 *name, const char *address) {
    struct sockaddr_in6 wanted = ipv6_address(address, 0);
    return name->sin6_family == AF_INET6 && memcmp(&name->sin6_addr, &wanted.sin6_addr, sizeof wanted.sin6_addr) == 0;
}

/* Accepts what connects to a listener of IPv6, and closes both: each end names the other's address. */
static void expect_connection(int listener, int near, uint16_t port, const char *from, const char *to) {
    struct sockaddr_in6 seen, name;
    socklen_t length = sizeof seen;
    int far = accept(listener, (struct sockaddr *)&seen, &length);
    CHECK(far >= 0 && length == sizeof seen && is_at(&seen, from));
    CHECK(await(near, POLLOUT) == POLLOUT);
    length = sizeof name;
    CHECK(getsockname(far, (struct sockaddr *)&name, &length) == 0 && is_at(&name, to) && ntohs(name.sin6_port) == port);
    send_text(near, "question");
    expect_text(far, "question");
    send_text(far, "answer");
    CHECK(await(near, POLLIN) == POLLIN);
    expect_text(near, "answer");
    CHECK(close(near) == 0 && close(far) == 0);
}

static void should_connect_by_ipv6(void) {
    uint16_t port;
    int listener = listen_at_ipv6(FAR_IPV6, true, &port);
    int near = begin_connect_ipv6(FAR_IPV6, port);
    CHECK(await(near, POLLOUT) == POLLOUT);
    struct sockaddr_in6 name;
    socklen_t length = sizeof name;
    CHECK(getpeername(near, (struct sockaddr *)&name, &length) == 0 && length == sizeof name);
    CHECK(is_at(&name, FAR_IPV6) && ntohs(name.sin6_port) == port);
    CHECK(getsockname(near, (struct sockaddr *)&name, &length) == 0);
    char from[INET6_ADDRSTRLEN];
    CHECK(inet_ntop(AF_INET6, &name.sin6_addr, from, sizeof from) != NULL);
    CHECK(strncmp(from, "2001:db8::", 10) == 0);
    expect_connection(listener, near, port, from, FAR_IPV6);
    CHECK(close(listener) == 0);
}

static void should_refuse_by_ipv6_where_nobody_listens(void) {
    uint16_t port;
    CHECK(close(listen_at_ipv6(FAR_IPV6, true, &port)) == 0);
    int made = begin_connect_ipv6(FAR_IPV6, port), error = 0;
    socklen_t length = sizeof error;
    CHECK((await(made, POLLOUT) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP));
    CHECK(getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length) == 0);
    CHECK(error == ECONNREFUSED);
    CHECK(close(made) == 0);
}

/* Which of the two interfaces an address of IPv4 is reached from is the library's choice: it may be its own. */
static void should_take_both_families_at_any_address(void) {
    uint16_t port;
    int listener = listen_at_ipv6("::", false, &port);
    int near = begin_connect_ipv6(FAR_IPV6, port);
    CHECK(await(near, POLLOUT) == POLLOUT);
    struct sockaddr_in6 name;
    socklen_t length = sizeof name;
    char from[INET6_ADDRSTRLEN];
    CHECK(getsockname(near, (struct sockaddr *)&name, &length) == 0);
    CHECK(inet_ntop(AF_INET6, &name.sin6_addr, from, sizeof from) != NULL);
    expect_connection(listener, near, port, from, FAR_IPV6);
    near = begin_connect(FAR_ADDRESS, port);
    CHECK(await(near, POLLOUT) == POLLOUT);
    struct sockaddr_in ipv4;
    char mapped[INET6_ADDRSTRLEN] = "::ffff:";
    length = sizeof ipv4;
    CHECK(getsockname(near, (struct sockaddr *)&ipv4, &length) == 0 && ipv4.sin_family == AF_INET);
    CHECK(inet_ntop(AF_INET, &ipv4.sin_addr, mapped + 7, sizeof mapped - 7) != NULL);
    expect_connection(listener, near, port, mapped, "::ffff:" FAR_ADDRESS);
    CHECK(close(listener) == 0);
}

/* ---- The ends of both directions ---- */

static void should_end_both_directions_at_once(void) {
    struct pair pair = connect_pair();
    send_text(pair.near, "last of near");
    send_text(pair.far, "last of far");
    CHECK(shutdown(pair.near, SHUT_WR) == 0 && shutdown(pair.far, SHUT_WR) == 0);
    /* What was sent before is there all the same. */
    expect_text(pair.near, "last of far");
    expect_text(pair.far, "last of near");
    expect_end(pair.near);
    expect_end(pair.far);
    for (int i = 0; i < 2; i++) {
        int end = i == 0 ? pair.near : pair.far;
        CHECK((await(end, POLLIN | POLLRDHUP) & (POLLIN | POLLRDHUP | POLLHUP)) == (POLLIN | POLLRDHUP | POLLHUP));
        CHECK((look(end, POLLERR) & POLLERR) == 0);
        CHECK_ERRNO(EPIPE, send(end, "x", 1, MSG_NOSIGNAL) == -1);
        expect_end(end);
    }
    close_pair(&pair);
}

static void should_end_both_directions_by_one_call_at_each_end(void) {
    struct pair pair = connect_pair();
    send_text(pair.near, "lost");
    CHECK(shutdown(pair.near, SHUT_RDWR) == 0);
    CHECK(shutdown(pair.far, SHUT_RDWR) == 0);
    CHECK_ERRNO(EPIPE, send(pair.near, "x", 1, MSG_NOSIGNAL) == -1);
    CHECK_ERRNO(EPIPE, send(pair.far, "x", 1, MSG_NOSIGNAL) == -1);
    expect_end(pair.near);
    CHECK((look(pair.near, POLLIN) & (POLLIN | POLLHUP)) == (POLLIN | POLLHUP));
    CHECK((look(pair.far, POLLIN) & (POLLIN | POLLHUP)) == (POLLIN | POLLHUP));
    close_pair(&pair);
}

static void should_not_wait_at_an_end_that_no_longer_reads(void) {
    struct pair pair = connect_pair();
    CHECK(shutdown(pair.far, SHUT_RD) == 0);
    expect_end(pair.far);
    send_text(pair.far, "answer");
    expect_text(pair.near, "answer");
    close_pair(&pair);
}

/* ---- Writers that are faster than their readers ---- */

static void *read_slowly(void *argument) {
    int descriptor = *(int *)argument;
    uint8_t octets[777];
    size_t done = 0;
    ssize_t got;
    while ((got = read(descriptor, octets, 1 + done % sizeof octets)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            CHECK(octets[i] == octet_at(done + (size_t)i, 0));
        }
        done += (size_t)got;
    }
    CHECK(got == 0 && done == MUCH);
    return NULL;
}

/* Waits until a descriptor that is not ready takes octets again. */
typedef void waiter(int descriptor, int epoll);

static void by_poll(int descriptor, int epoll) {
    (void)epoll;
    CHECK((await(descriptor, POLLOUT) & POLLOUT) != 0);
}

static void by_epoll(int descriptor, int epoll) {
    struct epoll_event event;
    CHECK(epoll_wait(epoll, &event, 1, DEADLINE_MS) == 1);
    CHECK(event.data.fd == descriptor && (event.events & EPOLLOUT) != 0);
}

static void by_nothing(int descriptor, int epoll) {
    (void)descriptor;
    (void)epoll;
    CHECK(!"a descriptor that blocks takes everything");
}

/* Writes pieces of all lengths to a slow reader; whether a write has found no room. */
static bool write_much(bool blocks, uint32_t events, waiter *await_room) {
    struct pair pair = connect_pair();
    uint8_t *octets = malloc(MUCH);
    pthread_t reader;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = events, .data.fd = pair.near};
    CHECK(octets != NULL && epoll >= 0);
    for (size_t i = 0; i < MUCH; i++) {
        octets[i] = octet_at(i, 0);
    }
    set_nonblocking(pair.near, !blocks);
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, pair.near, &event) == 0);
    CHECK(pthread_create(&reader, NULL, read_slowly, &pair.far) == 0);
    bool waited = false;
    size_t sent = 0, part = 1;
    while (sent < MUCH) {
        ssize_t count = write(pair.near, octets + sent, MUCH - sent < part ? MUCH - sent : part);
        if (count < 0) {
            CHECK(errno == EAGAIN);
            waited = true;
            await_room(pair.near, epoll);
            continue;
        }
        CHECK(count > 0);
        sent += (size_t)count;
        part = part * 3 % 100003 + 1;
    }
    CHECK(shutdown(pair.near, SHUT_WR) == 0);
    CHECK(pthread_join(reader, NULL) == 0);
    free(octets);
    CHECK(close(epoll) == 0);
    close_pair(&pair);
    return waited;
}

static void should_deliver_all_of_a_faster_writer(void) {
    write_much(true, EPOLLOUT, by_nothing);
    CHECK(write_much(false, EPOLLOUT, by_poll));
    CHECK(write_much(false, EPOLLOUT, by_epoll));
    CHECK(write_much(false, EPOLLOUT | EPOLLET, by_epoll));
}

/* ---- Writers beside others ---- */

#define RECORD 1000
#define RECORDS 1000
#define WRITERS 4

static int written_by_all;

static void *write_records(void *argument) {
    char record[RECORD];
    memset(record, *(const char *)argument, sizeof record);
    for (int i = 0; i < RECORDS; i++) {
        CHECK(write(written_by_all, record, sizeof record) == sizeof record);
    }
    return NULL;
}

/* As with the kernel, though no standard says so. */
static void should_not_mix_records_of_several_writers(void) {
    static const char names[WRITERS] = {'a', 'b', 'c', 'd'};
    struct pair pair = connect_pair();
    pthread_t writers[WRITERS];
    char record[RECORD];
    written_by_all = pair.near;
    for (int i = 0; i < WRITERS; i++) {
        CHECK(pthread_create(&writers[i], NULL, write_records, (void *)&names[i]) == 0);
    }
    for (int i = 0; i < WRITERS * RECORDS; i++) {
        CHECK(recv(pair.far, record, sizeof record, MSG_WAITALL) == sizeof record);
        for (int j = 1; j < RECORD; j++) {
            CHECK(record[j] == record[0]);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        CHECK(pthread_join(writers[i], NULL) == 0);
    }
    close_pair(&pair);
}

/* ---- Readers beside others ---- */

#define PAGE 4096u
#define PEEKED (2 * PAGE)
#define RING (64u << 10)

static struct pair shared;
static uint8_t *second_page;

/* The middle of a peek: another reader takes what is there, and what comes behind it takes its place in the ring. */
static void read_meanwhile(int signal) {
    (void)signal;
    static uint8_t octets[PEEKED];
    CHECK(mprotect(second_page, PAGE, PROT_READ | PROT_WRITE) == 0);
    for (size_t done = 0; done < RING; done += PEEKED) {
        memset(octets, (int)('b' + done / PEEKED), PEEKED);
        CHECK(send(shared.near, octets, PEEKED, MSG_NOSIGNAL) == PEEKED);
        CHECK(recv(shared.far, octets, PEEKED, MSG_WAITALL) == PEEKED);
    }
}

static void should_peek_what_is_still_there(void) {
    struct sigaction action = {.sa_handler = read_meanwhile}, before;
    static uint8_t octets[PEEKED], read_then[PEEKED];
    shared = connect_pair();
    uint8_t *peeked = mmap(NULL, PEEKED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(peeked != MAP_FAILED);
    second_page = peeked + PAGE;
    CHECK(mprotect(second_page, PAGE, PROT_NONE) == 0);
    CHECK(sigaction(SIGSEGV, &action, &before) == 0);
    memset(octets, 'a', PEEKED);
    CHECK(send(shared.near, octets, PEEKED, MSG_NOSIGNAL) == PEEKED);
    CHECK(recv(shared.far, octets, PEEKED, MSG_PEEK | MSG_WAITALL) == PEEKED);
    ssize_t count = recv(shared.far, peeked, PEEKED, MSG_PEEK);
    CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
    CHECK(count > 0 && recv(shared.far, read_then, (size_t)count, MSG_WAITALL) == count);
    CHECK(memcmp(peeked, read_then, (size_t)count) == 0);
    CHECK(read_then[0] == 'b' + RING / PEEKED - 1);
    CHECK(munmap(peeked, PEEKED) == 0);
    close_pair(&shared);
}

int main(void) {
    RUN(should_connect_by_ipv6);
    RUN(should_refuse_by_ipv6_where_nobody_listens);
    RUN(should_take_both_families_at_any_address);
    RUN(should_end_both_directions_at_once);
    RUN(should_end_both_directions_by_one_call_at_each_end);
    RUN(should_not_wait_at_an_end_that_no_longer_reads);
    RUN(should_deliver_all_of_a_faster_writer);
    RUN(should_not_mix_records_of_several_writers);
    RUN(should_peek_what_is_still_there);
    puts("done");
    return 0;
}
