#ifndef RDDP_SOCKETS_PROGRAM_H
#define RDDP_SOCKETS_PROGRAM_H

/* Why a preloaded library does not get the calls of the program in this file; NULL: it does, or this is no program in ELF. */
const char *why_out_of_reach(const char *path);

#endif
