/**
 * What the demo and the benchmarks share: ping-pongs of programs and of the kernel's TCP, the round
 * trip between two cores, child processes, configurations, pinned threads and network namespaces.
 */
package org.rddp.rig;
