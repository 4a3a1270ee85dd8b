/*
 * Registering memory of the program: heap, stack, data, mappings.
 *
 * The daemon writes into a program's memory only where both have mapped the same memfd. So registration copies the
 * pages of a range into a memfd that the daemon has mapped, and maps that in their place. Addresses, contents and
 * protection stay. When the last registration of a page ends, anonymous memory with the same contents replaces it. What
 * is shared already (MAP_SHARED) stays where it is: its memfd is sealed, and the daemon maps it (memory_shared.h).
 *
 * During the copy, userfaultfd(2), ptrace(2) or a signal, in this order of preference, keeps other threads from writing
 * to the pages. Threads of the library block all signals but stop_signal() (exchange/by_signal.h).
 *
 * A forked child gets a copy of all private pages while its parent waits; it has no registrations. The stack of the thread
 * that forks must not be registered.
 *
 * Any thread may call the functions. They return 0 or an errno value, which rddp_error() explains.
 */
#ifndef RDDP_VERBS_MEMORY_MEMORY_H
#define RDDP_VERBS_MEMORY_MEMORY_H

#include "rddp.h"

/* What to register. */
struct memory_request {
    rddp_session *session;
    void *address;
    uint64_t length;   /* octets, at least 1; address and length need no alignment */
    uint64_t base;     /* Tagged Offset of the first octet; ibv_reg_mr() has the address here */
    unsigned access;   /* enum rddp_access */
    uint32_t domain;   /* protection domain */
};

/* A registered range. The local offset of an octet in requests is its address less the registration's. */
struct memory_registration {
    rddp_session *session;
    uint8_t *address;
    uint64_t length;
    uint64_t base;     /* Tagged Offset of the first octet, which peers are told */
    uint32_t stag;
};

/*
 * Registers a range of memory.
 *
 * EINVAL: no octets, the range exceeds the address space, rights that do not go together, or a part of a huge page.
 * EFAULT: a part of the range is not mapped, not readable, or not writable although the rights need it.
 * EOPNOTSUPP: the memory is shared (MAP_SHARED) and not in a memfd that can be sealed, belongs to a device or to the
 * kernel, or has the control block of a thread.
 * EBUSY: a page of the range is registered with another session.
 * ENOMEM: the system has no memory or mappings left, or a limit of the daemon is reached.
 * EAGAIN: other threads could not be kept from writing.
 * EIO: the session is lost.
 */
RDDP_CHECK_RESULT int register_memory(
    const struct memory_request *request, struct memory_registration **registration);

/*
 * Ends a registration. Afterwards nothing is placed or read through its STag, and the pointer is invalid; posted requests
 * that name it fail when the daemon processes them.
 *
 * EBUSY: a window is bound to it; it stays. EINVAL: this process was forked, and the registration is its parent's.
 */
RDDP_CHECK_RESULT int deregister_memory(struct memory_registration *registration);

/*
 * Ends all registrations of a session and gives their pages back to the program. Call it before rddp_close(), and after
 * the loss of a session before dropping the last pointer to it.
 */
void release_memory(rddp_session *session);

#endif
