/**
 * What the demo and the benchmarks share: ping-pongs of programs and of the kernel's TCP, the round
 * trip between two cores, child processes, configurations, pinned threads, network namespaces and
 * charts; and the rehearsal by which a JVM learns what a daemon does.
 */
package org.rddp.rig;
