/**
 * Ports on Linux interfaces by packet sockets, whose frames have virtio headers ({@code
 * PACKET_VNET_HDR} of packet(7)): the kernel and the card cut and merge segments, and compute their
 * checksums.
 */
package org.rddp.daemon.packet;
