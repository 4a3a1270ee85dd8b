/** Flame graphs of the benchmarks' workloads. */
package org.rddp.bench.profile;
