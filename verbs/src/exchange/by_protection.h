/* Makes threads that write to the pages wait in the kernel. */
#ifndef RDDP_VERBS_EXCHANGE_BY_PROTECTION_H
#define RDDP_VERBS_EXCHANGE_BY_PROTECTION_H

#include <stdbool.h>

#include "exchange/copy.h"

/*
 * Carries out an exchange while userfaultfd(2) protects the pages: a thread that writes to one, even in a system call,
 * waits and does not notice. The caller's stack must not be among the pages, unless the caller runs on another one.
 *
 * EAGAIN: this process may not (it needs CAP_SYS_PTRACE, or vm.unprivileged_userfaultfd = 1), or such pages cannot be
 * protected (private mappings of files); nothing was done. Otherwise as of copy_and_exchange().
 */
int exchange_protected(const struct exchange *list, size_t count, size_t *done);

/* In a forked child: drops the descriptor, which belongs to its parent's memory. */
void forget_protection(void);

#endif
