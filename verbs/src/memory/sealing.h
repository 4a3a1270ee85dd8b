/* Memfds that can be sealed: the daemon maps no others. */
#ifndef RDDP_VERBS_MEMORY_SEALING_H
#define RDDP_VERBS_MEMORY_SEALING_H

/* Makes a memfd that can be sealed; `pages` is 0, or MFD_HUGETLB with a size of huge pages. -1: see errno. */
int create_sealable(unsigned pages);

#endif
