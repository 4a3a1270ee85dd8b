/**
 * Measures rddp and its peers side by side.
 *
 * <p>Each contender is a {@link org.rddp.bench.harness.Rig} in a process of its own, so that
 * HotSpot learns nothing from the others, and so that each may start DPDK. A {@link
 * org.rddp.bench.harness.Comparison} starts all of them; in a round each works once, while the
 * others are stopped (SIGSTOP). A disturbance so affects all alike. A figure is the median of the
 * rounds ({@link org.rddp.bench.harness.Series}), a ratio the median of the rounds' ratios, and
 * {@link org.rddp.bench.harness.MachineMonitor} shows who else used the CPUs.
 */
package org.rddp.bench.harness;
