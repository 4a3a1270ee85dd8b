/** The command {@code bin/rddp bench}, and what its benchmarks share. */
package org.rddp.bench;
