/** DPDK's ports and packet buffers as the protocol engines want them. */
package org.rddp.dpdk.device;
