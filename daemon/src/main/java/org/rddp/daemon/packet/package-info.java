/**
 * Ports on Linux interfaces: by packet sockets, whose frames have virtio headers ({@code
 * PACKET_VNET_HDR} of packet(7)), so that the kernel and the card cut and merge segments and
 * compute their checksums; or by AF_XDP sockets, which frames reach before the kernel makes
 * anything of them (Linux's Documentation/networking/af_xdp.rst).
 */
package org.rddp.daemon.packet;
