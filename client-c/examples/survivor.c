/*
 * atomic_counter.c with programs that go on when their daemon is killed or replaced: they open a session with the next
 * one. The owner keeps the number, and registers memory for it again. A client's request whose answer was lost may have
 * been carried out, so a number may be skipped, but none is given out twice.
 *
 *   survivor own INTERFACE PORT
 *   survivor draw INTERFACE ADDRESS PORT HOW-MANY
 */
#include <inttypes.h>
#include <time.h>

#include "example.h"

static void pause_shortly(void) {
    struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
}

/* A session with the daemon, or with the next one when there is none. */
static rddp_session *open_when_possible(const char *interface_name) {
    struct rddp_session_options options = {.interface_name = interface_name};
    rddp_session *session;
    while (rddp_open(NULL, &options, &session) != RDDP_OK) {
        pause_shortly();
    }
    return session;
}

/* ---- The owner ---- */

/* Accepts clients until the daemon has gone. */
static void accept_until_lost(rddp_session *session, rddp_listener *listener, const struct remote_buffer *where) {
    struct peers clients = {.count = 0};
    while (rddp_session_state(session) == RDDP_OK) {
        rddp_connection *client;
        close_ended(&clients);
        if (clients.count < MAX_PEERS && rddp_next_request(listener, 1000, &client) == RDDP_OK) {
            if (rddp_start_accept(client, where, sizeof *where, NULL) == RDDP_OK) {
                clients.each[clients.count++] = client;
            } else {
                rddp_forget(client);
            }
        }
    }
}

/* Serves with one daemon; number is what the counter has. */
static void own_with_one_daemon(const char *interface_name, uint16_t *port, uint64_t *number) {
    rddp_session *session = open_when_possible(interface_name);
    rddp_region *memory;
    rddp_listener *listener;
    if (rddp_allocate(session, sizeof *number, RDDP_LOCAL_WRITE | RDDP_REMOTE_ATOMIC, &memory) == RDDP_OK) {
        uint64_t *counter = rddp_region_address(memory);
        *counter = *number;
        if (rddp_listen(session, *port, 16, NULL, &listener) == RDDP_OK) {
            struct remote_buffer where = announce(memory);
            *port = rddp_listener_port(listener);
            printf("port %u\n", *port);
            fflush(stdout);
            accept_until_lost(session, listener, &where);
        }
        *number = *counter;  /* it stays mapped until the session is closed */
    }
    rddp_close(session);
}

static void own(const char *interface_name, const char *port_text) {
    uint16_t port = (uint16_t)atoi(port_text);
    uint64_t number = 0;
    while (true) {
        own_with_one_daemon(interface_name, &port, &number);
    }
}

/* ---- A client ---- */

struct client {
    const char *interface_name;
    uint32_t address;
    uint16_t port;
    rddp_session *session;  /* NULL: none */
    rddp_region *before;
    rddp_connection *owner;  /* NULL: none */
    struct remote_buffer counter;
};

static bool connect_to_owner(struct client *client) {
    struct rddp_connection_info info;
    if (client->session == NULL) {
        client->session = open_when_possible(client->interface_name);
        if (rddp_allocate(client->session, sizeof(uint64_t), RDDP_LOCAL_WRITE, &client->before) != RDDP_OK) {
            return false;
        }
    }
    if (rddp_connect(client->session, client->address, client->port, NULL, 0, TIMEOUT_MS, NULL, &client->owner, &info)
        != RDDP_OK) {
        client->owner = NULL;
        return false;
    }
    client->counter = announced(&info);
    return true;
}

/* Draws a number; false if daemon or connection have gone meanwhile. */
static bool draw(struct client *client, uint64_t *number) {
    if (client->owner == NULL && !connect_to_owner(client)) {
        return false;
    }
    struct rddp_piece piece = piece_of(client->before, 0, sizeof *number);
    struct rddp_request add = {.opcode = RDDP_FETCH_ADD, .flags = RDDP_SIGNALLED, .pieces = &piece, .piece_count = 1,
        .remote_stag = client->counter.stag, .remote_to = client->counter.to, .operand = 1};
    if (rddp_post(client->owner, &add) != RDDP_OK) {
        return false;
    }
    struct rddp_completion completion;
    while (rddp_poll(client->session, &completion, 1) == 0) {
        if (rddp_await(client->session, TIMEOUT_MS) != RDDP_OK) {
            return false;
        }
    }
    *number = *(uint64_t *)rddp_region_address(client->before);
    return completion.status == RDDP_SUCCESS;
}

/* Gives up the session, so that the next attempt opens another: of this one no completion can come late. */
static void start_anew(struct client *client) {
    rddp_close(client->session);
    client->session = NULL;
    client->owner = NULL;
    pause_shortly();
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "own") == 0) {
        own(arguments[2], arguments[3]);
    }
    if (count != 6 || strcmp(arguments[1], "draw") != 0) {
        fail("usage: survivor own INTERFACE PORT | draw INTERFACE ADDRESS PORT HOW-MANY");
    }
    struct client client = {.interface_name = arguments[2], .address = parse_address(arguments[3]),
        .port = (uint16_t)atoi(arguments[4])};
    for (int i = 0; i < atoi(arguments[5]); i++) {
        uint64_t number;
        while (!draw(&client, &number)) {
            start_anew(&client);
        }
        printf("%" PRIu64 "\n", number);
        fflush(stdout);
    }
    rddp_close(client.session);
    return 0;
}
