package org.rddp.ip;

import org.rddp.group.HandOverEntry;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ipv4;

/** A path to an IPv4 address; the address is its number. */
final class Ipv4Path extends Path {
  private final Ipv4Layer layer;
  private final Ipv4Output output;

  Ipv4Path(IpContext context, Ipv4Layer layer, int remote) {
    super(
        context,
        remote,
        remote == layer.address(),
        Ipv4.HEADER,
        Checksum.pseudoHeader(layer.address(), remote, 0, 0));
    this.layer = layer;
    output = layer.output();
  }

  @Override
  public HostAddress remote() {
    return new Ipv4Address(number());
  }

  @Override
  public HostAddress ours() {
    return new Ipv4Address(layer.address());
  }

  @Override
  public long hash() {
    return number();
  }

  @Override
  public long network() {
    return number();
  }

  @Override
  void writeTo(HandOverEntry entry) {
    entry.remote = number();
  }

  @Override
  public boolean reaches() {
    return layer.reaches(number());
  }

  @Override
  public boolean receives(int remotePort, int localPort) {
    return context.device.receives(number(), remotePort, layer.address(), localPort);
  }

  @Override
  public int linkMtu() {
    return context.mtu;
  }

  @Override
  int leastMtu() {
    return Math.min(PathMtus.LEAST, context.mtu);
  }

  @Override
  Neighbour route() {
    return layer.route(this);
  }

  @Override
  void kept() {
    layer.keep(this);
  }

  @Override
  void unkept() {
    layer.forget(this);
  }

  @Override
  long high() {
    return 0;
  }

  @Override
  long low() {
    return AddressPrefix.mapped(number());
  }

  @Override
  void transmit(int protocol, long packet, long payload, int length, int trafficClass, long now) {
    output.send(this, protocol, packet, payload, length, trafficClass, now);
  }

  @Override
  void transmitTo(
      int protocol, long packet, long payload, int length, int trafficClass, long macAddress) {
    output.reply(packet, payload, length, protocol, number(), trafficClass, macAddress);
  }

  @Override
  void writeHeader(int protocol, long payload, int length, int trafficClass) {
    output.writeHeader(this, protocol, payload, length, trafficClass);
  }
}
