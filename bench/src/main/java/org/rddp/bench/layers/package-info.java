/**
 * JMH benchmarks of single layers, and of a message through all of them: {@code bin/rddp bench jmh
 * -l} lists them.
 */
package org.rddp.bench.layers;
