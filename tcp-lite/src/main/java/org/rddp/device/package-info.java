/**
 * Frames in and out: packet buffers, the device that moves them, and devices that wrap a device.
 * Nothing here knows of DPDK or of protocols.
 */
package org.rddp.device;
