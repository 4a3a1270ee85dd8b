/* Registering memory that the program shares with other processes (MAP_SHARED): the daemon maps the same memfd. */
#ifndef RDDP_VERBS_MEMORY_SHARED_H
#define RDDP_VERBS_MEMORY_SHARED_H

#include "memory/mappings.h"
#include "memory/pools.h"

/*
 * Seals the memfd that is mapped, shares all of it with the daemon, and makes a pool of it. From then on its size stays, no
 * process can punch holes into it, and none can map it for writing anew. 0 or an errno value: EOPNOTSUPP if it cannot be
 * sealed, or has been for sessions that have all ended; as adopt_file() otherwise.
 */
int share_mapping(rddp_session *session, const struct mapping_info *mapping, struct pool **shared);

#endif
