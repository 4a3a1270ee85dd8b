/**
 * DPDK for Java: the environment abstraction layer, pools of packet buffers, Ethernet ports.
 *
 * <p>A thin layer on {@code org.rddp.dpdk.generated}, which is jextract's output for the shim in
 * {@code native/} and is never edited. A program calls {@link org.rddp.dpdk.Eal#init} once, makes a
 * {@link org.rddp.dpdk.Mempool}, opens an {@link org.rddp.dpdk.EthernetPort}, and then moves frames
 * in bursts: arrays of buffer addresses in native memory. {@link org.rddp.dpdk.MbufLayout}
 * describes the buffers. Nothing on that path allocates.
 *
 * <p>Failures are {@link org.rddp.dpdk.DpdkException}s with DPDK's reason and a remedy.
 */
package org.rddp.dpdk;
