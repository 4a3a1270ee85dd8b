/**
 * How much goes over, how often, beside how many others, and what it costs: the benchmarks of
 * throughput, with rddp's rigs and their peers'.
 */
package org.rddp.bench.rates;
