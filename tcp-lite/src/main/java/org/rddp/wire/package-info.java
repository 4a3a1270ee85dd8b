/** Packet formats as views on memory: offsets, accessors and checks, without state. */
package org.rddp.wire;
