/** {@code rddpd}: starts and stops the engines, the control server and the DPDK ports. */
package org.rddp.daemon;
