/**
 * JMH benchmarks of single layers, and of a message through all of them: {@code bin/rddp bench jmh
 * -l} lists them.
 *
 * <p>Those that time short bursts sample each burst by itself, so that their median holds on a
 * machine that others use, too.
 */
package org.rddp.bench.layers;
