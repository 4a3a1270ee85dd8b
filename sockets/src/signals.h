/* Calls that signal handlers interrupt (signal(7)). */
#ifndef RDDP_SOCKETS_SIGNALS_H
#define RDDP_SOCKETS_SIGNALS_H

#include "wait.h"

/*
 * wait_for(), for calls that go on after handlers with SA_RESTART unless they have a timeout. Which signal has come is not
 * known: the call is interrupted if any of those that may have come has a handler without SA_RESTART.
 */
enum wait_result wait_through_signals(struct wait *wait);

#endif
