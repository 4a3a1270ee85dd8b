/**
 * Frames in and out: packet buffers, and the device that moves them. Independent of DPDK and of
 * protocols.
 */
package org.rddp.device;
