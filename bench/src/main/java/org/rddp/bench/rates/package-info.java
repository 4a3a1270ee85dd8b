/** The benchmarks of throughput, connections and resources, with the rigs of rddp and its peers. */
package org.rddp.bench.rates;
