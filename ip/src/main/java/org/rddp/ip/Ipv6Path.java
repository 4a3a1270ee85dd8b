package org.rddp.ip;

import org.rddp.group.HandOverEntry;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ipv6;

/** A path to an IPv6 address from one of our addresses; {@link Ipv6Paths} numbers it. */
public final class Ipv6Path extends Path {
  /** Upper half of the remote address. */
  final long high;

  /** Lower half of the remote address. */
  final long low;

  /** Which of our addresses: an index of {@link LocalAddresses}. */
  final int local;

  /** Upper half of our address. */
  final long localHigh;

  /** Lower half of our address. */
  final long localLow;

  private final Ipv6Layer layer;

  /** The next hop named by a redirect (RFC 4861 section 8); null for the route's. */
  private Neighbour redirect;

  /** Neighbours in the list of paths without users. */
  Ipv6Path previous;

  Ipv6Path next;

  Ipv6Path(
      IpContext context,
      Ipv6Layer layer,
      int number,
      long high,
      long low,
      int local,
      Ipv6Address ours) {
    super(
        context,
        number,
        layer.addresses().find(high, low) >= 0,
        Ipv6.HEADER,
        Checksum.pseudoHeader(high, low, ours.high(), ours.low(), 0, 0));
    this.layer = layer;
    this.high = high;
    this.low = low;
    this.local = local;
    localHigh = ours.high();
    localLow = ours.low();
  }

  @Override
  public Ipv6Address remote() {
    return new Ipv6Address(high, low);
  }

  @Override
  public Ipv6Address ours() {
    return new Ipv6Address(localHigh, localLow);
  }

  @Override
  public long hash() {
    return (Long.rotateLeft(high, 1) ^ localHigh) * 0x9e3779b97f4a7c15L
        ^ (Long.rotateLeft(low, 1) ^ localLow);
  }

  @Override
  public long network() {
    return high;
  }

  @Override
  void writeTo(HandOverEntry entry) {
    entry.high = high;
    entry.low = low;
    entry.remote = local;
  }

  @Override
  public boolean reaches() {
    return layer.routes().reaches(this);
  }

  @Override
  public boolean receives(int remotePort, int localPort) {
    return context.device.receives(high, low, remotePort, localHigh, localLow, localPort);
  }

  @Override
  public int linkMtu() {
    return context.pathMtus.ipv6Link();
  }

  @Override
  int leastMtu() {
    return Ipv6.LEAST_MTU;
  }

  @Override
  Neighbour route() {
    return layer.routes().route(this);
  }

  @Override
  void kept() {
    layer.paths().keep(this);
  }

  @Override
  void unkept() {
    layer.paths().idle(this);
  }

  @Override
  long high() {
    return high;
  }

  @Override
  long low() {
    return low;
  }

  @Override
  void transmit(int protocol, long packet, long payload, int length, int trafficClass, long now) {
    layer.send(this, protocol, packet, payload, length, trafficClass, now);
  }

  @Override
  void transmitTo(
      int protocol, long packet, long payload, int length, int trafficClass, long macAddress) {
    layer.output().reply(this, packet, payload, length, protocol, trafficClass, macAddress);
  }

  @Override
  void writeHeader(int protocol, long payload, int length, int trafficClass) {
    Ipv6Output.writeHeader(this, payload, length, protocol, trafficClass);
  }

  /** The next hop named by a redirect; null for the route's. */
  Neighbour redirect() {
    return redirect;
  }

  /** Sets the next hop named by a redirect, or removes it with null. */
  void redirect(Neighbour hop) {
    if (redirect != null) {
      redirect.release();
    }
    redirect = hop;
    if (redirect != null) {
      redirect.acquire();
    }
  }

  /** A flow label for a connection with these ports (RFC 6437 section 3). */
  int flowLabel(int ports) {
    long mixed = (high ^ low ^ localLow ^ ports) * 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 44);
  }

  /** Upper half of the remote address: the network that its host is in. */
  public long remotePrefix() {
    return high;
  }

  /** Lower half of the remote address. */
  public long remoteInterface() {
    return low;
  }

  /** Upper half of our address. */
  public long ourPrefix() {
    return localHigh;
  }

  /** Lower half of our address. */
  public long ourInterface() {
    return localLow;
  }
}
