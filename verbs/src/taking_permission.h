/* Which process may trace this one where the security module Yama restricts that to declared ones. */
#ifndef RDDP_VERBS_TAKING_PERMISSION_H
#define RDDP_VERBS_TAKING_PERMISSION_H

#include <sys/types.h>

/* Lets a process, and no other, trace this one. */
void permit_tracing(pid_t process);

/* Takes that back: what the program has chosen counts again. */
void permit_tracing_as_chosen(void);

#endif
