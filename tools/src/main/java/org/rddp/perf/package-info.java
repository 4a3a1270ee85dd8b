/** Measures latency and throughput: {@code rddp perf}, and what it agrees on with the server. */
package org.rddp.perf;
