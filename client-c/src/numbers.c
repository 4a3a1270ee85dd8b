/* Connections between two numbers, which each end expects. */
#include "connection.h"

int rddp_create_number(rddp_session *session, uint32_t *number) {
    struct message message;
    begin_message(&message, CREATE_NUMBER);
    struct pending pending = {.arrived = NULL};
    int result = request(session, &message, NUMBER_CREATED, 0, &pending);
    if (result == RDDP_OK) {
        *number = get_u32(&pending.reply);
    }
    return result;
}

int rddp_free_number(rddp_session *session, uint32_t number) {
    struct message message;
    begin_message(&message, FREE_NUMBER);
    put_u32(&message, number);
    return request_done(session, &message);
}

int rddp_expect(rddp_session *session, const struct rddp_expectation *expectation,
    const struct rddp_connection_options *options, rddp_connection **connection) {
    int result = check_options(&options);
    if (result != RDDP_OK) {
        return result;
    }
    rddp_connection *made = new_connection(session, options);
    if (made == NULL) {
        return RDDP_RESOURCES;
    }
    struct message message;
    begin_message(&message, EXPECT);
    put_u32(&message, expectation->number);
    put_ipv6(&message, &expectation->local);
    put_u32(&message, expectation->remote_number);
    put_ipv6(&message, &expectation->remote);
    put_u32(&message, expectation->psn);
    put_u32(&message, expectation->remote_psn);
    put_u32(&message, expectation->timeout_ms);
    put_settings(&message, options);
    return start_connecting(&message, made, connection);
}

int rddp_expect_psn(rddp_connection *connection, uint32_t psn, uint32_t timeout_ms) {
    struct message message;
    begin_message(&message, EXPECT_PSN);
    put_u32(&message, connection->number);
    put_u32(&message, psn);
    put_u32(&message, timeout_ms);
    return request_done(connection->session, &message);
}
