/** DPDK's ports and packet buffers as frame devices and packet pools. */
package org.rddp.dpdk.device;
