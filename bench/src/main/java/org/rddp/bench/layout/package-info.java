/** Arrangements of daemons and programs that several benchmarks measure. */
package org.rddp.bench.layout;
