/** TCP connections in memory, for tests, fuzzing and benchmarks of the layers above TCP. */
package org.rddp.tcp.testing;
