package org.rddp.device;

import java.util.HashMap;
import java.util.Map;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.Vlan;

/** A simulated network card that computes checksums, cuts segments and checks received ones. */
public final class OffloadingDevice implements FrameDevice {
  private record Left(int link, int ip, int tcp, int segment) {
    boolean ipv6() {
      return ip == Ipv6.HEADER;
    }
  }

  private final FrameDevice link;
  private final int offloads;
  private final Map<Long, Left> left = new HashMap<>();

  /** Frames whose checksum was completed here. */
  public int completed;

  /** Frames that were cut. */
  public int cut;

  /** What is said of the next frames' checksums whatever they are; -1 to look. */
  public int verdict = -1;

  /** A card on a link, with some offloads. */
  public OffloadingDevice(FrameDevice link, int offloads) {
    this.link = link;
    this.offloads = offloads;
  }

  @Override
  public int offloads() {
    return offloads;
  }

  @Override
  public void requestOffload(long packet, int linkHeader, int ip, int tcp, int segment) {
    if ((offloads & Offloads.CHECKSUM) == 0
        || (segment > 0 && (offloads & Offloads.SEGMENTATION) == 0)) {
      throw new IllegalStateException("not offered");
    }
    left.put(packet, new Left(linkHeader, ip, tcp, segment));
  }

  @Override
  public int checksum(long packet) {
    if ((offloads & Offloads.VERDICT) == 0) {
      return Offloads.UNKNOWN;
    }
    if (verdict >= 0) {
      return verdict;
    }
    long frame = link.pool().address(packet);
    boolean tagged = Ethernet.type(frame) == Vlan.TYPE_TAGGED;
    long ip = frame + (tagged ? Vlan.HEADER : Ethernet.HEADER);
    boolean ipv6 = (tagged ? Vlan.type(frame) : Ethernet.type(frame)) == Ethernet.TYPE_IPV6;
    int header = ipv6 ? Ipv6.HEADER : Ipv4.headerLength(ip);
    int length = ipv6 ? Ipv6.payloadLength(ip) : Ipv4.totalLength(ip) - header;
    boolean intact = Tcp.intact(ip + header, length, pseudoHeader(ip, ipv6, length));
    return intact ? Offloads.GOOD : Offloads.BAD;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    for (int i = from; i < from + count; i++) {
      Left work = left.remove(packets[i]);
      boolean taken = work == null ? plain(packets[i]) : offloaded(packets[i], work);
      if (!taken) {
        return i - from;
      }
    }
    return count;
  }

  private boolean plain(long packet) {
    return link.transmit(new long[] {packet}, 0, 1) == 1;
  }

  /** The frame leaves as copies with what was left out; the packet itself stays as it is. */
  private boolean offloaded(long packet, Left work) {
    PacketPool pool = link.pool();
    long frame = pool.address(packet);
    int headers = work.link + work.ip + work.tcp;
    int payload = pool.length(packet) - headers;
    int segment = work.segment > 0 ? work.segment : payload;
    boolean withoutLength = work.segment > 0 && (offloads & Offloads.SUM_WITH_LENGTH) == 0;
    int summed = withoutLength ? 0 : work.tcp + payload;
    int expected = Checksum.fold(pseudoHeader(frame + work.link, work.ipv6(), summed));
    if (Tcp.checksum(frame + work.link + work.ip) != expected) {
      throw new IllegalStateException("no sum of the pseudo header");
    }
    int from = 0;
    do {
      int octets = Math.min(segment, payload - from);
      if (!plain(piece(frame, work, from, octets, from + octets == payload))) {
        return false;
      }
      from += octets;
    } while (from < payload);
    completed++;
    cut += payload > segment ? 1 : 0;
    pool.release(packet);
    return true;
  }

  private static long pseudoHeader(long ip, boolean ipv6, int length) {
    return ipv6
        ? Checksum.pseudoHeader(
            Ipv6.sourceHigh(ip),
            Ipv6.sourceLow(ip),
            Ipv6.destinationHigh(ip),
            Ipv6.destinationLow(ip),
            Ipv4.PROTOCOL_TCP,
            length)
        : Checksum.pseudoHeader(Ipv4.source(ip), Ipv4.destination(ip), Ipv4.PROTOCOL_TCP, length);
  }

  private long piece(long frame, Left work, int from, int octets, boolean last) {
    PacketPool pool = link.pool();
    int headers = work.link + work.ip + work.tcp;
    long copy = pool.allocate();
    long to = pool.address(copy);
    Memory.copy(frame, to, headers);
    Memory.copy(frame + headers + from, to + headers, octets);
    pool.window(copy, to, headers + octets);
    long ip = to + work.link;
    long tcp = ip + work.ip;
    int length = work.tcp + octets;
    if (work.ipv6()) {
      Memory.putShort(ip + 4, length);
    } else {
      int source = Ipv4.source(ip);
      int destination = Ipv4.destination(ip);
      int ecn = Ipv4.ecn(ip);
      Ipv4.write(ip, work.ip + length, Ipv4.PROTOCOL_TCP, source, destination, ecn);
    }
    Memory.putInt(tcp + 4, Tcp.sequence(tcp) + from);
    if (!last) {
      Memory.putByte(tcp + 13, Tcp.flags(tcp) & ~(Tcp.FIN | Tcp.PSH));
    }
    Memory.putShort(tcp + 16, 0);
    Tcp.putChecksum(tcp, Checksum.sum(tcp, length) + pseudoHeader(ip, work.ipv6(), length));
    return copy;
  }

  @Override
  public PacketPool pool() {
    return link.pool();
  }

  @Override
  public long macAddress() {
    return link.macAddress();
  }

  @Override
  public int mtu() {
    return link.mtu();
  }

  @Override
  public int longestFrame() {
    return link.longestFrame();
  }

  @Override
  public boolean up() {
    return link.up();
  }

  @Override
  public int receive(long[] packets) {
    return link.receive(packets);
  }

  @Override
  public void close() {
    link.close();
  }
}
