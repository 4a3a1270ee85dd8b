/**
 * How rddp and its peers are measured beside each other.
 *
 * <p>Each contender is a {@link org.rddp.bench.harness.Rig} in a process of its own, so that none
 * spoils what HotSpot has learned about another, and so that each may start DPDK. A {@link
 * org.rddp.bench.harness.Comparison} starts all of them and then goes round: one of them works, all
 * others are stopped (SIGSTOP) and cost nothing. What disturbs the machine so disturbs all alike; a
 * figure is the median of the rounds ({@link org.rddp.bench.harness.Series}), a ratio the median of
 * the rounds' ratios, and {@link org.rddp.bench.harness.MachineMonitor} says who else has used the
 * CPUs.
 */
package org.rddp.bench.harness;
