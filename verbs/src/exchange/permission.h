/* Declares which process may trace this one, as the security module Yama can require. */
#ifndef RDDP_VERBS_EXCHANGE_PERMISSION_H
#define RDDP_VERBS_EXCHANGE_PERMISSION_H

#include <sys/types.h>

/* Lets a process, and no other, trace this one. */
void permit_tracing(pid_t process);

/* Undoes permit_tracing(): restores the program's own choice. */
void permit_tracing_as_chosen(void);

#endif
