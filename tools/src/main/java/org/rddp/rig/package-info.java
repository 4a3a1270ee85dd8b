/**
 * What the demo and the benchmarks share: ping-pongs of programs and of the kernel's TCP, the round
 * trip between two cores, child processes, configurations, pinned threads, network namespaces and
 * charts.
 */
package org.rddp.rig;
