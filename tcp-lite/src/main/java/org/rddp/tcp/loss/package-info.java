/** Segments in flight: their queue, the detection of losses, and recovery from them. */
package org.rddp.tcp.loss;
