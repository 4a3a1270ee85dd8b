/** JMH benchmarks of single operations: {@code bin/rddp bench -l} lists them. */
package org.rddp.bench;
