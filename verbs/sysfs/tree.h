/* What the kernel tells of RDMA devices in /sys/class, for the interfaces of a daemon. */
#ifndef TREE_H
#define TREE_H

#include "rddp.h"

/*
 * Writes the folders infiniband and infiniband_verbs, with a device for each interface, into the current folder. Names and
 * values are those that the library's functions give. Returns an errno value.
 */
int write_tree(const struct rddp_interface *interfaces, unsigned count);

#endif
