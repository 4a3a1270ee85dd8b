/** Packet formats: offsets, accessors and checks of memory, mostly without state. */
package org.rddp.wire;
