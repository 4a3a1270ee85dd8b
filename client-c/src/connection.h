/* What the files about connections share. */
#ifndef RDDP_CONNECTION_H
#define RDDP_CONNECTION_H

#include "internal.h"

/* ---- Options ---- */

/* Checks a connection's options; the defaults take the place of NULL. */
int check_options(const struct rddp_connection_options **options);
void put_settings(struct message *message, const struct rddp_connection_options *options);
int check_private_data(size_t length);

/* ---- Connections ---- */

/* A connection that is not in the session's table; NULL if there is no memory for it. */
rddp_connection *new_connection(rddp_session *session, const struct rddp_connection_options *options);
/* Adds a connection to the session's table, with the lock held; false if there is no memory for it. */
bool add_connection(rddp_connection *connection);
/* Takes a connection out of the session's table, if it is there, and frees it. */
void free_connection(rddp_connection *connection);

/* Asks for a connection, which has its number then; frees it if it is refused. */
int start_connecting(struct message *message, rddp_connection *made, rddp_connection **connection);

/* Changes what the program sees of a connection, with the lock held if the program has it. */
void set_state(rddp_connection *connection, enum rddp_connection_state state);
/* Does nothing if the connection has ended. */
void end_connection(rddp_connection *connection, int reason, uint32_t detail, const char *text);

/* ---- Requests that wait at a listener, with the lock held ---- */

void add_request(rddp_listener *listener, rddp_connection *request);
/* Drops an ended request that the program has not taken. */
void drop_request(rddp_session *session, uint32_t number);
void free_requests(rddp_listener *listener);

#endif
