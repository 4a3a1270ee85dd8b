package org.rddp.ip;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.group.StackMember;

/** The parts of IP on one link, or one queue of its device, that both families use. */
final class IpContext {
  final FrameDevice device;
  final PacketPool pool;
  final EthernetLink link;
  final StackMember member;
  final TransportHandler transport;
  final IpCounters counters = new IpCounters();

  /** The largest packet sent, in octets: the least of device, configuration and pool. */
  final int mtu;

  final Loop loop;
  final PathMtus pathMtus;
  final Reassembly reassembly;
  final HandOver handOver;
  final ErrorLimit errorLimit = new ErrorLimit();

  /** Shows packets in ESP to captures; null if the interface has no policy. */
  final PlainCapture plain;

  /** Receives packets under the security policy; null if the interface has none. */
  final EspInput input;

  /** Sends packets under the security policy; null if the interface has none. */
  final EspOutput output;

  /**
   * Creates the parts.
   *
   * @param security of the interface; null if it has no policy
   */
  IpContext(
      FrameDevice device,
      InterfaceAddress address,
      StackMember member,
      TransportHandler transport,
      IpSecurity security) {
    this.device = device;
    this.member = member;
    this.transport = transport;
    pool = device.pool();
    link = new EthernetLink(device, address.vlan(), address.vlanPriority());
    mtu = Math.min(Math.min(device.mtu(), address.mtu()), pool.room() - link.header());
    loop = new Loop(link, counters, address.first());
    pathMtus = new PathMtus(mtu, transport);
    reassembly = new Reassembly(pool, counters);
    handOver = new HandOver(pool, member, counters);
    plain = security == null ? null : new PlainCapture(link.macAddress());
    input = security == null ? null : new EspInput(security, this);
    output = security == null ? null : new EspOutput(security, pool, plain);
  }
}
