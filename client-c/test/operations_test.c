/*
 * Every operation between two interfaces of a running daemon, whose socket is the argument. Prints the name of each case
 * before it runs.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pair.h"

static const char *path;

static void should_say_what_is_wrong_with_the_daemon_or_the_interface(void) {
    rddp_session *session;
    CHECK_RESULT(RDDP_UNAVAILABLE, rddp_open("/nowhere/rddpd.sock", NULL, &session));
    CHECK_TEXT("/nowhere/rddpd.sock");
    CHECK_TEXT("start the daemon");
    struct rddp_session_options options = {.interface_name = "three"};
    CHECK_RESULT(RDDP_NO_INTERFACE, rddp_open(path, &options, &session));
    CHECK_TEXT("no interface three");
}

static void should_list_the_interfaces(void) {
    struct rddp_interface interfaces[2];
    unsigned count;
    OK(rddp_list_interfaces(path, interfaces, 2, &count));
    CHECK(count == 2 && strcmp(interfaces[0].name, "one") == 0 && strcmp(interfaces[1].name, "two") == 0);
    CHECK(interfaces[1].address == ADDRESS_TWO && interfaces[1].prefix == 24 && interfaces[1].mtu == 1500);
    CHECK(interfaces[1].gateway == 0);
    CHECK_RESULT(RDDP_UNAVAILABLE, rddp_list_interfaces("/nowhere/rddpd.sock", interfaces, 2, &count));
}

static void should_tell_the_limits(struct pair *pair) {
    struct rddp_limits limits;
    rddp_session_limits(pair->two.session, &limits);
    CHECK(limits.send_queue > 0 && limits.completions >= limits.send_queue && limits.memory >= MEMORY);
    CHECK(limits.inline_octets == RDDP_MAX_INLINE);
    CHECK(strcmp(rddp_interface_name(pair->two.session), "two") == 0);
    CHECK(rddp_interface_address(pair->two.session) == ADDRESS_TWO);
    CHECK(rddp_daemon_pid(pair->two.session) > 0);
}

static void should_pass_private_data_and_startup(struct pair *pair) {
    struct rddp_connection_info info;
    rddp_connection_info(pair->one.connection, &info);
    CHECK(info.state == RDDP_ESTABLISHED && info.remote_address == ADDRESS_TWO);
    CHECK(info.private_length == 5 && memcmp(info.private_data, "reply", 5) == 0);
    CHECK(info.startup.revision == 1 && info.startup.ird > 0);
    rddp_connection_info(pair->two.connection, &info);
    CHECK(info.private_length == 7 && memcmp(info.private_data, "request", 7) == 0);
}

static void should_send(struct pair *pair) {
    post(&pair->two, 1, RDDP_RECEIVE, 0, 100, SIGNALLED);
    memcpy(pair->one.memory, "hello", 5);
    post(&pair->one, 2, RDDP_SEND, 0, 5, SIGNALLED);
    next_success(&pair->one, RDDP_SEND, 2);
    CHECK(next_success(&pair->two, RDDP_RECEIVE, 1).octets == 5);
    CHECK(memcmp(pair->two.memory, "hello", 5) == 0);
}

static void should_write_and_read(struct pair *pair) {
    memset(pair->one.memory, 'w', 5000);
    post(&pair->one, 3, RDDP_WRITE, 0, 5000, to(&pair->two, 10000));
    post(&pair->one, 4, RDDP_READ, 20000, 5000, to(&pair->two, 10000));
    next_success(&pair->one, RDDP_WRITE, 3);
    next_success(&pair->one, RDDP_READ, 4);
    CHECK(memcmp(pair->one.memory, pair->one.memory + 20000, 5000) == 0);
    CHECK(memcmp(pair->one.memory, pair->two.memory + 10000, 5000) == 0);
}

/* The first version of the kernel's struct sched_attr, of which word 3 is the length of slices in ns. */
#define ATTRIBUTES 6
#define RUNTIME 3

/* Linux tells the length of slices from 6.12 on. */
static void *slices_of_a_thread_that_yields(void *pair) {
    uint64_t before[ATTRIBUTES], after[ATTRIBUTES];
    struct sched_param parameter = {.sched_priority = 0};
    CHECK(sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameter) == 0);
    CHECK(syscall(SYS_sched_getattr, 0, before, sizeof before, 0) == 0);
    rddp_yield(((struct pair *)pair)->one.session);
    CHECK(syscall(SYS_sched_getattr, 0, after, sizeof after, 0) == 0);
    CHECK(after[RUNTIME] == (before[RUNTIME] == 0 ? 0 : 100000));
    CHECK(sched_getscheduler(0) == (SCHED_OTHER | SCHED_RESET_ON_FORK));
    return NULL;
}

static void should_yield_in_short_time_slices(struct pair *pair) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, slices_of_a_thread_that_yields, pair) == 0 && pthread_join(thread, NULL) == 0);
}

static void should_yield_on_processors_that_somebody_has_chosen(struct pair *pair) {
    cpu_set_t all, one, now;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    for (size_t each = 0; each < CPU_SETSIZE; each++) {
        if (CPU_ISSET(each, &all)) {
            CPU_ZERO(&one);
            CPU_SET(each, &one);
            CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
            rddp_yield(pair->one.session);
            CHECK(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &one));
        }
    }
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
}

static void should_send_inline_of_every_length(struct pair *pair) {
    uint8_t octets[RDDP_MAX_INLINE];
    for (uint32_t length = 0; length <= RDDP_MAX_INLINE; length++) {
        memset(octets, (int)length, length);
        post(&pair->two, 5, RDDP_RECEIVE, 0, RDDP_MAX_INLINE, SIGNALLED);
        struct rddp_request request = {.id = 6, .opcode = RDDP_SEND, .flags = RDDP_SIGNALLED | RDDP_INLINE,
            .inline_data = octets, .inline_length = length};
        OK(rddp_post(pair->one.connection, &request));
        next_success(&pair->one, RDDP_SEND, 6);
        CHECK(next_success(&pair->two, RDDP_RECEIVE, 5).octets == length);
        CHECK(memcmp(pair->two.memory, octets, length) == 0);
    }
}

static void should_gather_and_scatter_pieces(struct pair *pair) {
    for (unsigned count = 1; count <= RDDP_MAX_PIECES; count++) {
        struct rddp_piece from[RDDP_MAX_PIECES], into[RDDP_MAX_PIECES];
        for (unsigned i = 0; i < count; i++) {
            memset(pair->one.memory + 1000 * i, 'a' + (int)i, 10);
            from[i] = piece(&pair->one, 1000 * i, 10);
            into[i] = piece(&pair->two, 2000 * (count - i), 10);
        }
        struct rddp_request receive = {.id = 7, .opcode = RDDP_RECEIVE, .pieces = into, .piece_count = count};
        OK(rddp_post(pair->two.connection, &receive));
        struct rddp_request send = {
            .id = 8, .opcode = RDDP_SEND, .flags = RDDP_SIGNALLED, .pieces = from, .piece_count = count};
        OK(rddp_post(pair->one.connection, &send));
        next_success(&pair->one, RDDP_SEND, 8);
        CHECK(next_success(&pair->two, RDDP_RECEIVE, 7).octets == 10 * count);
        for (unsigned i = 0; i < count; i++) {
            CHECK(memcmp(pair->two.memory + 2000 * (count - i), pair->one.memory + 1000 * i, 10) == 0);
        }
    }
}

static void should_send_immediate_data(struct pair *pair) {
    memset(pair->two.memory, 'm', 8);
    post(&pair->two, 9, RDDP_RECEIVE, 0, 8, SIGNALLED);
    post(&pair->two, 10, RDDP_RECEIVE, 0, 3, SIGNALLED);
    struct rddp_request immediate = {.id = 11, .opcode = RDDP_IMMEDIATE,
        .flags = RDDP_SIGNALLED | RDDP_SOLICITED, .immediate = 0x1122334455667788};
    OK(rddp_post(pair->one.connection, &immediate));
    struct rddp_request write = to(&pair->two, 300);
    write.immediate = 99;
    post(&pair->one, 12, RDDP_WRITE_IMMEDIATE, 0, 10, write);
    next_success(&pair->one, RDDP_IMMEDIATE, 11);
    next_success(&pair->one, RDDP_WRITE_IMMEDIATE, 12);
    struct rddp_completion first = next_success(&pair->two, RDDP_RECEIVE, 9);
    CHECK(first.flags == (RDDP_HAS_IMMEDIATE | RDDP_WAS_SOLICITED) && first.immediate == 0x1122334455667788);
    CHECK(next_success(&pair->two, RDDP_RECEIVE, 10).immediate == 99);
    CHECK(memcmp(pair->two.memory, "mmmmmmmm", 8) == 0);
    CHECK(memcmp(pair->two.memory + 300, pair->one.memory, 10) == 0);
}

/* What has completed is in the peer's memory. */
static void should_complete_when_the_peer_has_placed(const char *socket) {
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.acknowledged = true;
    options.dscp = 46;
    options.congestion = RDDP_DCTCP;
    struct pair pair;
    open_pair(&pair, socket, &options);
    options.dscp = 64;
    rddp_connection *none;
    CHECK_RESULT(RDDP_INVALID, rddp_start_connect(pair.one.session, 0x0a000002, 7, NULL, 0, 1000, &options, &none));
    options.dscp = RDDP_DSCP_AS_CONFIGURED;
    options.congestion = RDDP_DCTCP + 1;
    CHECK_RESULT(RDDP_INVALID, rddp_start_connect(pair.one.session, 0x0a000002, 7, NULL, 0, 1000, &options, &none));
    for (unsigned i = 0; i < 100; i++) {
        memset(pair.one.memory, (int)i, 5000);
        post(&pair.one, i, RDDP_WRITE, 0, 5000, to(&pair.two, 10000));
        next_success(&pair.one, RDDP_WRITE, i);
        CHECK(memcmp(pair.one.memory, pair.two.memory + 10000, 5000) == 0);
    }
    close_pair(&pair);
}

static void should_send_with_immediate_data(const char *socket) {
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.send_with_immediate = true;
    struct pair pair;
    open_pair(&pair, socket, &options);
    should_pass_private_data_and_startup(&pair);
    struct rddp_connection_info info;
    rddp_connection_info(pair.one.connection, &info);
    CHECK(info.startup.send_with_immediate);
    post(&pair.two, 1, RDDP_RECEIVE, 0, 5, SIGNALLED);
    memcpy(pair.one.memory, "hello", 5);
    struct rddp_request send = {.flags = RDDP_SIGNALLED | RDDP_SOLICITED, .immediate = 0xfedcba98};
    post(&pair.one, 2, RDDP_SEND_WITH_IMMEDIATE, 0, 5, send);
    next_success(&pair.one, RDDP_SEND_WITH_IMMEDIATE, 2);
    struct rddp_completion received = next_success(&pair.two, RDDP_RECEIVE, 1);
    CHECK(received.flags == (RDDP_HAS_IMMEDIATE | RDDP_OF_SEND | RDDP_WAS_SOLICITED));
    CHECK(received.immediate == 0xfedcba98 && received.octets == 5);
    CHECK(memcmp(pair.two.memory, "hello", 5) == 0);
    send.opcode = RDDP_SEND_WITH_IMMEDIATE;
    send.immediate = 1ULL << 32;
    CHECK_RESULT(RDDP_INVALID, rddp_post(pair.one.connection, &send));
    close_pair(&pair);
}

static void should_send_no_immediate_data_to_who_has_not_asked(const char *socket) {
    struct pair pair;
    open_pair(&pair, socket, NULL);
    struct rddp_request send = {.opcode = RDDP_SEND_WITH_IMMEDIATE, .flags = RDDP_SIGNALLED, .immediate = 1};
    OK(rddp_post(pair.one.connection, &send));
    CHECK(next(&pair.one).status == RDDP_LOCAL_OPERATION_ERROR);
    close_pair(&pair);
}

static void should_receive_immediate_data_without_memory(struct pair *pair) {
    struct rddp_request receive = {.id = 70, .opcode = RDDP_RECEIVE};
    OK(rddp_post(pair->two.connection, &receive));
    struct rddp_request write = to(&pair->two, 300);
    write.immediate = 77;
    post(&pair->one, 71, RDDP_WRITE_IMMEDIATE, 0, 10, write);
    next_success(&pair->one, RDDP_WRITE_IMMEDIATE, 71);
    struct rddp_completion received = next_success(&pair->two, RDDP_RECEIVE, 70);
    CHECK(received.flags == RDDP_HAS_IMMEDIATE && received.immediate == 77 && received.octets == 8);
}

static uint64_t word(const struct end *end, uint64_t offset) {
    uint64_t value;
    memcpy(&value, end->memory + offset, 8);
    return value;
}

static void should_do_atomics(struct pair *pair) {
    uint64_t start = 40;
    memcpy(pair->two.memory + 400, &start, 8);
    struct rddp_request add = to(&pair->two, 400);
    add.operand = 2;
    post(&pair->one, 13, RDDP_FETCH_ADD, 0, 8, add);
    struct rddp_request swap = to(&pair->two, 400);
    swap.operand = 7;
    swap.mask = UINT64_MAX;
    swap.compare = 42;
    swap.compare_mask = UINT64_MAX;
    post(&pair->one, 14, RDDP_COMPARE_SWAP, 8, 8, swap);
    next_success(&pair->one, RDDP_FETCH_ADD, 13);
    next_success(&pair->one, RDDP_COMPARE_SWAP, 14);
    CHECK(word(&pair->one, 0) == 40 && word(&pair->one, 8) == 42 && word(&pair->two, 400) == 7);
}

static void should_retire_unsignalled_requests(struct pair *pair) {
    struct rddp_limits limits;
    rddp_session_limits(pair->one.session, &limits);
    for (uint32_t i = 0; i < 3 * limits.send_queue; i++) {
        struct rddp_request write = to(&pair->two, 0);
        bool last = i % limits.send_queue == limits.send_queue - 1;
        write.flags = last ? RDDP_SIGNALLED : 0;
        post(&pair->one, i, RDDP_WRITE, 0, 1, write);
        if (last) {
            struct rddp_piece one = piece(&pair->one, 0, 1);
            write.opcode = RDDP_WRITE;
            write.pieces = &one;
            write.piece_count = 1;
            CHECK_RESULT(RDDP_AGAIN, rddp_post(pair->one.connection, &write));
            next_success(&pair->one, RDDP_WRITE, i);
        }
    }
}

static void should_open_a_window_and_let_the_peer_invalidate_it(struct pair *pair) {
    rddp_window window;
    OK(rddp_allocate_window(pair->two.session, RDDP_WINDOW_RENAMED, 0, &window));
    struct rddp_request bind = {.remote_stag = window.number, .remote_to = RDDP_REMOTE_WRITE};
    post(&pair->two, 15, RDDP_BIND, 500, 100, bind);
    uint32_t bound = window.stag;
    window.stag = next_success(&pair->two, RDDP_BIND, 15).stag;
    CHECK(window.stag != bound);
    struct rddp_request write = {.flags = RDDP_SIGNALLED, .remote_stag = bound};
    memset(pair->one.memory, 'm', 100);
    post(&pair->one, 16, RDDP_WRITE, 0, 100, write);
    next_success(&pair->one, RDDP_WRITE, 16);
    post(&pair->two, 17, RDDP_RECEIVE, 0, 100, SIGNALLED);
    struct rddp_request send = {.flags = RDDP_SIGNALLED, .remote_stag = bound};
    post(&pair->one, 18, RDDP_SEND, 0, 4, send);
    next_success(&pair->one, RDDP_SEND, 18);
    struct rddp_completion received = next_success(&pair->two, RDDP_RECEIVE, 17);
    CHECK((received.flags & RDDP_HAS_INVALIDATED) != 0 && received.stag == bound);
    CHECK(memcmp(pair->two.memory + 500, pair->one.memory, 100) == 0);
    OK(rddp_free_window(pair->two.session, window));
}

static void should_register_memory_for_one_connection(struct pair *pair) {
    rddp_region *whole, *part;
    OK(rddp_allocate(pair->two.session, 4096, RDDP_LOCAL_WRITE, &whole));
    CHECK_RESULT(RDDP_INVALID,
        rddp_register_part(whole, 0, 64, RDDP_REMOTE_READ | RDDP_REMOTE_INVALIDATE, NULL, &part));
    CHECK_TEXT("one connection");
    CHECK_RESULT(RDDP_INVALID, rddp_register_part(whole, 4096, 1, RDDP_REMOTE_READ, NULL, &part));
    OK(rddp_register_part(whole, 128, 64, RDDP_REMOTE_READ, pair->two.connection, &part));
    CHECK(rddp_region_length(part) == 64);
    memcpy((uint8_t *)rddp_region_address(whole) + 128, "part", 4);
    struct rddp_request read = {.flags = RDDP_SIGNALLED, .remote_stag = rddp_region_stag(part)};
    post(&pair->one, 19, RDDP_READ, 0, 4, read);
    next_success(&pair->one, RDDP_READ, 19);
    CHECK(memcmp(pair->one.memory, "part", 4) == 0);
    CHECK_RESULT(RDDP_STATE, rddp_free(whole));
    OK(rddp_free(part));
    OK(rddp_free(whole));
}

static void should_refuse_requests_that_would_end_the_session(struct pair *pair) {
    struct rddp_piece pieces[2] = {piece(&pair->one, 0, 8), piece(&pair->one, 0, 1ull << 32)};
    struct rddp_request requests[] = {
        {.opcode = (enum rddp_opcode)13},
        {.opcode = RDDP_WRITE, .flags = RDDP_SOLICITED, .pieces = pieces, .piece_count = 1},
        {.opcode = RDDP_READ, .pieces = pieces, .piece_count = 2},
        {.opcode = RDDP_SEND, .pieces = pieces, .piece_count = 2},
        {.opcode = RDDP_SEND, .flags = RDDP_INLINE, .inline_data = pieces, .inline_length = 169},
        {.opcode = RDDP_FETCH_ADD},
        {.opcode = RDDP_INVALIDATE, .pieces = pieces, .piece_count = 1},
        {.opcode = RDDP_BIND, .remote_to = RDDP_LOCAL_WRITE, .pieces = pieces, .piece_count = 1},
        {.opcode = RDDP_BIND, .remote_to = RDDP_REMOTE_READ, .queue = 256, .pieces = pieces, .piece_count = 1},
        {.opcode = RDDP_SEND_TAGGED, .immediate = 0x100, .pieces = pieces, .piece_count = 1},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        CHECK_RESULT(RDDP_INVALID, rddp_post(pair->one.connection, &requests[i]));
    }
    struct rddp_piece wrong = {.stag = 12345, .length = 8};
    struct rddp_request send = {.id = 20, .opcode = RDDP_SEND, .pieces = &wrong, .piece_count = 1};
    OK(rddp_post(pair->one.connection, &send));
    CHECK(next(&pair->one).status == RDDP_LOCAL_PROTECTION_ERROR);
    OK(rddp_session_state(pair->one.session));
}

static void should_share_receives(const char *socket) {
    struct pair pair = {.accept = NULL};
    open_end(&pair.one, socket, "one");
    open_end(&pair.two, socket, "two");
    rddp_receive_queue *queue;
    OK(rddp_create_receive_queue(pair.two.session, 4, 0, &queue));
    struct rddp_connection_options shared = RDDP_CONNECTION_DEFAULTS;
    shared.receive_queue = queue;
    OK(rddp_listen(pair.two.session, 0, 8, &shared, &pair.listener));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, accept_one, &pair) == 0);
    OK(rddp_connect(pair.one.session, ADDRESS_TWO, rddp_listener_port(pair.listener), NULL, 0, TIMEOUT_MS, NULL,
        &pair.one.connection, NULL));
    CHECK(pthread_join(thread, NULL) == 0);
    struct rddp_piece into = piece(&pair.two, 0, 64);
    struct rddp_request receive = {.id = 21, .opcode = RDDP_RECEIVE, .pieces = &into, .piece_count = 1};
    for (int i = 0; i < 4; i++) {
        OK(rddp_post_shared(queue, &receive));
    }
    CHECK_RESULT(RDDP_AGAIN, rddp_post_shared(queue, &receive));
    OK(rddp_arm_receive_queue(queue, 4));
    CHECK(!rddp_take_receive_queue_limit(queue));
    post(&pair.one, 22, RDDP_SEND, 0, 3, SIGNALLED);
    next_success(&pair.one, RDDP_SEND, 22);
    CHECK(next_success(&pair.two, RDDP_RECEIVE, 21).object != 0);
    while (!rddp_take_receive_queue_limit(queue)) {
        OK(rddp_await(pair.two.session, TIMEOUT_MS));
    }
    OK(rddp_post_shared(queue, &receive));
    CHECK_RESULT(RDDP_STATE, rddp_destroy_receive_queue(queue));
    close_pair(&pair);
}

static void should_choose_receive_queue_and_depths_when_accepting(const char *socket) {
    struct pair pair;
    open_end(&pair.one, socket, "one");
    open_end(&pair.two, socket, "two");
    rddp_receive_queue *queue;
    OK(rddp_create_receive_queue(pair.two.session, 4, 0, &queue));
    struct rddp_accept_options accept = {.receive_queue = queue, .ird = 2, .ord = 1, .domain = RDDP_DOMAIN_OF_LISTENER};
    pair.accept = &accept;
    struct rddp_connection_options connect = RDDP_CONNECTION_DEFAULTS;
    connect.revision = 2;
    connect_pair(&pair, &connect);
    struct rddp_connection_info info;
    rddp_connection_info(pair.two.connection, &info);
    CHECK(info.startup.ird == 2 && info.startup.ord == 1);
    rddp_connection_info(pair.one.connection, &info);
    CHECK(info.startup.peer_ird == 2 && info.startup.ord == 2);
    struct rddp_piece into = piece(&pair.two, 0, 64);
    struct rddp_request receive = {.id = 26, .opcode = RDDP_RECEIVE, .pieces = &into, .piece_count = 1};
    OK(rddp_post_shared(queue, &receive));
    post(&pair.one, 27, RDDP_SEND, 0, 3, SIGNALLED);
    next_success(&pair.one, RDDP_SEND, 27);
    CHECK(next_success(&pair.two, RDDP_RECEIVE, 26).object != 0);
    CHECK_RESULT(RDDP_STATE, rddp_destroy_receive_queue(queue));
    close_pair(&pair);
}

static void should_keep_protection_domains_apart(const char *socket) {
    struct pair pair;
    open_end(&pair.one, socket, "one");
    open_end(&pair.two, socket, "two");
    struct rddp_accept_options accept = RDDP_ACCEPT_DEFAULTS;
    accept.domain = 7;
    pair.accept = &accept;
    struct rddp_connection_options connect = RDDP_CONNECTION_DEFAULTS;
    connect.revision = 2;
    connect_pair(&pair, &connect);
    struct rddp_region_options options = {.access = ALL_RIGHTS, .domain = 7};
    rddp_region *region;
    OK(rddp_register_part_with(pair.two.region, 0, MEMORY, &options, &region));
    post(&pair.two, 60, RDDP_RECEIVE, 0, 64, SIGNALLED);
    struct rddp_completion refused = next(&pair.two);
    CHECK(refused.id == 60 && refused.status == RDDP_LOCAL_PROTECTION_ERROR);
    struct rddp_request write = {.flags = RDDP_SIGNALLED, .remote_stag = rddp_region_stag(region)};
    memcpy(pair.one.memory, "mine", 4);
    post(&pair.one, 61, RDDP_WRITE, 0, 4, write);
    struct rddp_request read = {.flags = RDDP_SIGNALLED, .remote_stag = rddp_region_stag(region)};
    post(&pair.one, 62, RDDP_READ, 64, 4, read);
    next_success(&pair.one, RDDP_WRITE, 61);
    next_success(&pair.one, RDDP_READ, 62);
    CHECK(memcmp(pair.two.memory, "mine", 4) == 0);
    post(&pair.one, 63, RDDP_READ, 64, 4, to(&pair.two, 0));
    refused = next(&pair.one);
    CHECK(refused.id == 63 && refused.status == RDDP_REMOTE_ACCESS_ERROR);
    rddp_window window;
    CHECK_RESULT(RDDP_INVALID, rddp_allocate_window(pair.one.session, RDDP_WINDOW_RENAMED, RDDP_LARGEST_DOMAIN + 1, &window));
    close_pair(&pair);
}

static void should_speak_plain_ddp(const char *socket) {
    uint32_t queues[] = {4, 4};
    struct rddp_connection_options options = RDDP_CONNECTION_DEFAULTS;
    options.queues = queues;
    options.queue_count = 2;
    struct pair pair;
    open_pair(&pair, socket, &options);
    struct rddp_request receive = {.queue = 1};
    post(&pair.two, 23, RDDP_RECEIVE_UNTAGGED, 0, 64, receive);
    struct rddp_request send = {.flags = RDDP_SIGNALLED, .queue = 1, .immediate = 0x1234567890};
    memcpy(pair.one.memory, "untagged", 8);
    post(&pair.one, 24, RDDP_SEND_UNTAGGED, 0, 8, send);
    next_success(&pair.one, RDDP_SEND_UNTAGGED, 24);
    struct rddp_completion received = next_success(&pair.two, RDDP_RECEIVE_UNTAGGED, 23);
    CHECK(received.queue == 1 && received.msn == 1 && received.rsvd_ulp == 0x1234567890);
    CHECK(memcmp(pair.two.memory, "untagged", 8) == 0);
    close_pair(&pair);
}

static void *reject_one(void *argument) {
    struct pair *pair = argument;
    rddp_connection *request;
    OK(rddp_next_request(pair->listener, TIMEOUT_MS, &request));
    OK(rddp_reject(request, "no", 2));
    return NULL;
}

static void should_tell_rejections_and_refusals(struct pair *pair) {
    rddp_connection *connection;
    struct rddp_connection_info info;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, reject_one, pair) == 0);
    CHECK_RESULT(RDDP_REFUSED, rddp_connect(pair->one.session, ADDRESS_TWO, rddp_listener_port(pair->listener), NULL,
                                   0, TIMEOUT_MS, NULL, &connection, &info));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(info.state == RDDP_CLOSED && info.private_length == 2 && memcmp(info.private_data, "no", 2) == 0);
    CHECK_RESULT(RDDP_REFUSED,
        rddp_connect(pair->one.session, ADDRESS_TWO, 9, NULL, 0, TIMEOUT_MS, NULL, &connection, &info));
    CHECK(info.reason == RDDP_REFUSED);
    CHECK_RESULT(RDDP_TIMEOUT, rddp_next_request(pair->listener, 1, &connection));
}

static void should_register_a_memfd(struct pair *pair) {
    rddp_region *region;
    int descriptor = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(descriptor >= 0 && ftruncate(descriptor, 8192) == 0);
    CHECK_RESULT(RDDP_UNSAFE_MEMORY, rddp_register_fd(pair->one.session, descriptor, RDDP_LOCAL_WRITE, &region));
    CHECK_TEXT("F_SEAL_SHRINK");
    CHECK(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    OK(rddp_register_fd(pair->one.session, descriptor, RDDP_LOCAL_WRITE, &region));
    CHECK(close(descriptor) == 0);
    struct rddp_piece from = {.stag = rddp_region_stag(region), .offset = 4096, .length = 6};
    memcpy((uint8_t *)rddp_region_address(region) + 4096, "memfd!", 6);
    struct rddp_request write = to(&pair->two, 600);
    write.opcode = RDDP_WRITE;
    write.pieces = &from;
    write.piece_count = 1;
    OK(rddp_post(pair->one.connection, &write));
    CHECK(next(&pair->one).status == RDDP_SUCCESS);
    post(&pair->one, 25, RDDP_READ, 0, 6, to(&pair->two, 600));
    next_success(&pair->one, RDDP_READ, 25);
    CHECK(memcmp(pair->one.memory, "memfd!", 6) == 0);
    OK(rddp_free(region));
}

static void should_wake_through_the_descriptor(struct pair *pair) {
    post(&pair->two, 26, RDDP_RECEIVE, 0, 64, SIGNALLED);
    CHECK(rddp_arm(pair->two.session));
    post(&pair->one, 27, RDDP_SEND, 0, 3, SIGNALLED);
    struct pollfd polled = {.fd = rddp_descriptor(pair->two.session), .events = POLLIN};
    CHECK(poll(&polled, 1, (int)TIMEOUT_MS) == 1);
    next_success(&pair->two, RDDP_RECEIVE, 26);
    next_success(&pair->one, RDDP_SEND, 27);
}

static void should_report_an_access_error_at_both_ends(const char *socket) {
    struct pair pair;
    open_pair(&pair, socket, NULL);
    post(&pair.one, 28, RDDP_RECEIVE, 0, 64, SIGNALLED);
    post(&pair.one, 29, RDDP_READ, 0, 64, to(&pair.two, MEMORY));
    struct rddp_completion read = next(&pair.one);
    struct rddp_completion flushed = next(&pair.one);
    if (read.id == 28) {
        struct rddp_completion other = read;
        read = flushed;
        flushed = other;
    }
    CHECK(read.id == 29 && read.status == RDDP_REMOTE_ACCESS_ERROR && flushed.status == RDDP_FLUSHED);
    OK(rddp_await_closed(pair.one.connection, TIMEOUT_MS));
    OK(rddp_await_closed(pair.two.connection, TIMEOUT_MS));
    struct rddp_connection_info info;
    rddp_connection_info(pair.one.connection, &info);
    CHECK(info.reason == RDDP_TERMINATED && info.detail == 0x0101);
    rddp_connection_info(pair.two.connection, &info);
    CHECK(info.reason == RDDP_RDMAP_ERROR && info.detail == 0x0101);
    close_pair(&pair);
}

static void should_close_in_order(struct pair *pair) {
    post(&pair->two, 30, RDDP_RECEIVE, 0, 64, SIGNALLED);
    OK(rddp_disconnect(pair->one.connection, true));
    struct rddp_connection_info info;
    do {
        rddp_connection_info(pair->two.connection, &info);
        if (!info.peer_closed && info.state != RDDP_CLOSED) {
            OK(rddp_await(pair->two.session, TIMEOUT_MS));
        }
    } while (!info.peer_closed && info.state != RDDP_CLOSED);
    OK(rddp_disconnect(pair->two.connection, true));
    OK(rddp_await_closed(pair->one.connection, TIMEOUT_MS));
    OK(rddp_await_closed(pair->two.connection, TIMEOUT_MS));
    CHECK(next(&pair->two).status == RDDP_FLUSHED);
}

static void *accept_both(void *argument) {
    struct pair *pair = argument;
    for (int i = 0; i < 2; i++) {
        accept_one(pair);
        OK(rddp_disconnect(pair->two.connection, true));
        OK(rddp_await_closed(pair->two.connection, TIMEOUT_MS));
        rddp_forget(pair->two.connection);
    }
    return NULL;
}

/* A listener at :: takes both families. */
static void should_connect_over_ipv6(const char *socket) {
    struct pair pair = {.accept = NULL};
    struct rddp_interface interfaces[2];
    unsigned count;
    OK(rddp_list_interfaces(socket, interfaces, 2, &count));
    CHECK(interfaces[1].ipv6_count == 2 && interfaces[1].ipv6_prefix[0] == 64);
    CHECK(IN6_IS_ADDR_LINKLOCAL(&interfaces[1].ipv6[1]));
    const struct in6_addr *addresses[] = {&interfaces[1].ipv6[0], &interfaces[1].ipv6[1]};
    open_end(&pair.one, socket, "one");
    open_end(&pair.two, socket, "two");
    OK(rddp_listen_ipv6(pair.two.session, &in6addr_any, 0, 8, NULL, &pair.listener));
    uint16_t port = rddp_listener_port(pair.listener);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, accept_both, &pair) == 0);
    struct rddp_connection_info info;
    for (int i = 0; i < 2; i++) {
        OK(rddp_connect_ipv6(pair.one.session, addresses[i], port, "request", 7, TIMEOUT_MS, NULL,
            &pair.one.connection, &info));
        CHECK(IN6_ARE_ADDR_EQUAL(&info.remote_ipv6, addresses[i]) && info.remote_port == port);
        CHECK(IN6_ARE_ADDR_EQUAL(&info.local_ipv6, &interfaces[0].ipv6[i]));
        CHECK(info.remote_address == 0 && info.local_address == 0);
        OK(rddp_disconnect(pair.one.connection, true));
        OK(rddp_await_closed(pair.one.connection, TIMEOUT_MS));
        rddp_forget(pair.one.connection);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    rddp_close_listener(pair.listener);
    rddp_close(pair.one.session);
    rddp_close(pair.two.session);
}

#define RUN(name, argument)                                                                                            \
    do {                                                                                                               \
        puts(#name);                                                                                                   \
        name(argument);                                                                                                \
    } while (0)

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    path = arguments[1];
    puts("should_say_what_is_wrong_with_the_daemon_or_the_interface");
    should_say_what_is_wrong_with_the_daemon_or_the_interface();
    puts("should_list_the_interfaces");
    should_list_the_interfaces();
    struct pair pair;
    open_pair(&pair, path, NULL);
    RUN(should_tell_the_limits, &pair);
    RUN(should_pass_private_data_and_startup, &pair);
    RUN(should_send, &pair);
    RUN(should_write_and_read, &pair);
    RUN(should_yield_in_short_time_slices, &pair);
    RUN(should_yield_on_processors_that_somebody_has_chosen, &pair);
    RUN(should_send_inline_of_every_length, &pair);
    RUN(should_gather_and_scatter_pieces, &pair);
    RUN(should_send_immediate_data, &pair);
    RUN(should_receive_immediate_data_without_memory, &pair);
    RUN(should_do_atomics, &pair);
    RUN(should_retire_unsignalled_requests, &pair);
    RUN(should_open_a_window_and_let_the_peer_invalidate_it, &pair);
    RUN(should_register_memory_for_one_connection, &pair);
    RUN(should_refuse_requests_that_would_end_the_session, &pair);
    RUN(should_register_a_memfd, &pair);
    RUN(should_wake_through_the_descriptor, &pair);
    RUN(should_tell_rejections_and_refusals, &pair);
    RUN(should_connect_over_ipv6, path);
    RUN(should_complete_when_the_peer_has_placed, path);
    RUN(should_send_with_immediate_data, path);
    RUN(should_send_no_immediate_data_to_who_has_not_asked, path);
    RUN(should_share_receives, path);
    RUN(should_choose_receive_queue_and_depths_when_accepting, path);
    RUN(should_keep_protection_domains_apart, path);
    RUN(should_speak_plain_ddp, path);
    RUN(should_report_an_access_error_at_both_ends, path);
    RUN(should_close_in_order, &pair);
    close_pair(&pair);
    puts("done");
    return 0;
}
