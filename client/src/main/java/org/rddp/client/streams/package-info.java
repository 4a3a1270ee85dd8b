/**
 * The program's end of octet streams, which the daemon owns: connections as those of {@code rddp
 * sockets}. The daemon's end and the layout of what both share are specified in docs/ipc.md.
 */
package org.rddp.client.streams;
