/** Handlers of single layers that do nothing, for benchmarks to extend. */
package org.rddp.bench.handlers;
