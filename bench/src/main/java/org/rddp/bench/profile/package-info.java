/** Flame graphs of what the benchmarks measure. */
package org.rddp.bench.profile;
