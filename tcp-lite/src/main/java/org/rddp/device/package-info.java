/**
 * Frames in and out: packet buffers, the device that moves them, and devices that wrap a device.
 * Independent of DPDK and, but for test devices, of protocols.
 */
package org.rddp.device;
