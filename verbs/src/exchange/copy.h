/* The exchange itself, once nothing writes to the pages. */
#ifndef RDDP_VERBS_EXCHANGE_COPY_H
#define RDDP_VERBS_EXCHANGE_COPY_H

#include "exchange/exchange.h"

/*
 * Copies the pages of each entry of a list, then replaces them; `done` counts the entries. Allocates nothing and takes
 * no lock: a stopped thread may hold one. Result as of exchange_pages().
 */
int copy_and_exchange(const struct exchange *list, size_t count, size_t *done);

#endif
