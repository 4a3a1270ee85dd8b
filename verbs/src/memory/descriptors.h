/*
 * Descriptors of memory that the program shares (MAP_SHARED), by which the daemon can map it, too.
 *
 * Without locks: any thread may call the functions, also a signal handler, and a child that was forked meanwhile.
 */
#ifndef RDDP_VERBS_MEMORY_DESCRIPTORS_H
#define RDDP_VERBS_MEMORY_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/mappings.h"

/*
 * Keeps the descriptor of memory that the program has mapped, until it is unmapped. The descriptor gets a number that is
 * hardly in the program's way. False, and the descriptor stays the caller's, if there is no number or too many are kept.
 */
bool keep_descriptor(int descriptor, uintptr_t from, uintptr_t to);

/* Closes kept descriptors of memory that lay in a range and that the process has nowhere mapped now. */
void close_unmapped(uintptr_t from, uintptr_t to);

/*
 * Finds a descriptor, opened for reading and writing, of the memfd that is mapped: a kept one, one that the program has
 * open, or by the right to open the mapping (CAP_CHECKPOINT_RESTORE). Returns a duplicate, or -1.
 */
int find_descriptor(const struct mapping_info *mapping);

#endif
