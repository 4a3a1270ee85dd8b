/* System V's shared memory that is in fact private, as programs have huge pages: created, attached and removed at once. */
#ifndef RDDP_VERBS_MEMORY_SEGMENTS_H
#define RDDP_VERBS_MEMORY_SEGMENTS_H

#include "memory/mappings.h"

/* Whether a mapping is of a segment that is removed (IPC_RMID), and attached once, by this process. */
bool is_own_segment(const struct mapping_info *mapping);

#endif
