/* Lets whoever touches the pages wait in the kernel. */
#ifndef RDDP_VERBS_TAKING_PROTECT_H
#define RDDP_VERBS_TAKING_PROTECT_H

#include <stdbool.h>

#include "taking_copy.h"

/*
 * Carries out an exchange while the pages are protected by userfaultfd(2): a thread that writes to one waits, in a
 * system call, too, and does not notice. The caller's stack must not be among the pages, unless the caller runs on
 * another one.
 *
 * EAGAIN: not allowed to this process (it takes CAP_SYS_PTRACE, or vm.unprivileged_userfaultfd = 1), or not possible
 * with such pages (private mappings of files); nothing was done. Otherwise as of copy_and_exchange().
 */
int exchange_protected(const struct exchange *list, size_t count, size_t *done);

/* In a forked child: the descriptor is of its parent's memory. */
void forget_protection(void);

#endif
