package org.rddp.device;

import java.util.HashMap;
import java.util.Map;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.Vlan;

/** A simulated network card that computes checksums, cuts segments and checks received ones. */
public final class OffloadingDevice implements FrameDevice {
  private record Left(int link, int ip, int tcp, int segment) {}

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
    long tcp = ip + Ipv4.headerLength(ip);
    int length = Ipv4.totalLength(ip) - Ipv4.headerLength(ip);
    boolean intact = Tcp.intact(tcp, length, Ipv4.source(ip), Ipv4.destination(ip));
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
    int expected = pseudoHeader(frame + work.link, work.segment > 0 ? 0 : work.tcp + payload);
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

  private static int pseudoHeader(long ip, int length) {
    return Checksum.fold(
        Checksum.pseudoHeader(Ipv4.source(ip), Ipv4.destination(ip), Ipv4.PROTOCOL_TCP, length));
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
    int ecn = Ipv4.ecn(ip);
    int source = Ipv4.source(ip);
    int destination = Ipv4.destination(ip);
    int length = work.tcp + octets;
    Ipv4.write(ip, work.ip + length, Ipv4.PROTOCOL_TCP, source, destination, ecn);
    Memory.putInt(tcp + 4, Tcp.sequence(tcp) + from);
    if (!last) {
      Memory.putByte(tcp + 13, Tcp.flags(tcp) & ~(Tcp.FIN | Tcp.PSH));
    }
    Memory.putShort(tcp + 16, 0);
    Tcp.putChecksum(
        tcp,
        Checksum.sum(tcp, length)
            + Checksum.pseudoHeader(source, destination, Ipv4.PROTOCOL_TCP, length));
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
