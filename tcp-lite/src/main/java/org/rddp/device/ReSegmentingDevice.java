package org.rddp.device;

import java.util.random.RandomGenerator;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/**
 * A middlebox that changes the boundaries of TCP segments: it splits some received segments in two,
 * and joins some with their successor. Headers and checksums are updated. SYNs, resets, urgent data
 * and invalid TCP pass unchanged, and the order of frames stays the same. The same random numbers
 * cause the same cuts.
 */
public final class ReSegmentingDevice extends WrappedDevice {
  private static final int BURST = 64;

  /** Frames that one received frame can lead to: two parts, and one that was held back. */
  private static final int MOST = 3;

  private static final int TCP = Ethernet.HEADER + Ipv4.HEADER;
  private static final int NEVER_CUT = Tcp.SYN | Tcp.RST | Tcp.URG;

  /** Flag: the sender has reduced its congestion window (RFC 3168), told by one segment only. */
  private static final int CWR = 0x80;

  private final PacketPool pool;
  private final RandomGenerator random;
  private final double split;
  private final double join;
  private final long[] burst = new long[BURST];
  private final long[] ready = new long[MOST * BURST];
  private int readyFirst;
  private int readyEnd;
  private long held;
  private long splits;
  private long joins;

  /**
   * Changes the segments that a device receives; it is closed with this one.
   *
   * @param split probability that a segment is split, 0 to 1
   * @param join probability that a segment or its rest is held back to be joined with the next
   */
  public ReSegmentingDevice(FrameDevice device, RandomGenerator random, double split, double join) {
    super(device);
    if (!(split >= 0 && split <= 1 && join >= 0 && join <= 1)) {
      throw new IllegalArgumentException("split " + split + ", join " + join);
    }
    this.random = random;
    this.split = split;
    this.join = join;
    pool = device.pool();
  }

  /** None: the frame may have been changed. */
  @Override
  public int checksum(long packet) {
    return Offloads.UNKNOWN;
  }

  /** {@inheritDoc} A segment held back is received at the latest when no others are. */
  @Override
  public int receive(long[] packets) {
    if (readyFirst == readyEnd) {
      readyFirst = 0;
      readyEnd = 0;
      int count = device().receive(burst);
      for (int i = 0; i < count; i++) {
        pass(burst[i]);
      }
      if (count == 0) {
        passHeld();
      }
    }
    int count = Math.min(packets.length, readyEnd - readyFirst);
    System.arraycopy(ready, readyFirst, packets, 0, count);
    readyFirst += count;
    return count;
  }

  private void pass(long received) {
    if (!divisible(received)) {
      passHeld();
      ready[readyEnd++] = received;
      return;
    }
    long segment = held == 0 ? received : joined(received);
    if (chance(split)) {
      segment = split(segment);
    }
    if (chance(join) && (Tcp.flags(pool.address(segment) + TCP) & Tcp.FIN) == 0) {
      held = segment;
    } else {
      ready[readyEnd++] = segment;
    }
  }

  private boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  private void passHeld() {
    if (held != 0) {
      ready[readyEnd++] = held;
      held = 0;
    }
  }

  /** Whether the frame is a valid segment with payload and without IP options. */
  private boolean divisible(long packet) {
    long frame = pool.address(packet);
    long ip = frame + Ethernet.HEADER;
    int octets = pool.length(packet) - Ethernet.HEADER;
    if (octets < 0
        || Ethernet.type(frame) != Ethernet.TYPE_IPV4
        || !Ipv4.wellFormed(ip, octets)
        || Ipv4.headerLength(ip) != Ipv4.HEADER
        || !Ipv4.intact(ip)
        || Ipv4.fragment(ip)
        || Ipv4.protocol(ip) != Ipv4.PROTOCOL_TCP) {
      return false;
    }
    long tcp = frame + TCP;
    int length = Ipv4.totalLength(ip) - Ipv4.HEADER;
    return Tcp.wellFormed(tcp, length)
        && Tcp.intact(tcp, length, Ipv4.source(ip), Ipv4.destination(ip))
        && (Tcp.flags(tcp) & NEVER_CUT) == 0
        && length > Tcp.headerLength(tcp);
  }

  /** Octets of all headers of a divisible frame. */
  private int headers(long packet) {
    return TCP + Tcp.headerLength(pool.address(packet) + TCP);
  }

  private int payload(long packet) {
    int total = Ipv4.totalLength(pool.address(packet) + Ethernet.HEADER);
    return Ethernet.HEADER + total - headers(packet);
  }

  /**
   * Joins the segment held back with the next one, if possible; returns the result or the next one.
   */
  private long joined(long next) {
    int before = payload(held);
    int octets = payload(next);
    int headers = headers(next);
    boolean fits = headers - Ethernet.HEADER + before + octets <= mtu();
    long whole = fits && follows(next) ? pool.allocate() : 0;
    if (whole == 0) {
      passHeld();
      return next;
    }
    long from = pool.address(next);
    long to = pool.address(whole);
    Memory.copy(from, to, headers);
    Memory.copy(pool.address(held) + headers(held), to + headers, before);
    Memory.copy(from + headers, to + headers + before, octets);
    int flags = Tcp.flags(pool.address(held) + TCP) | Tcp.flags(from + TCP);
    finish(whole, Tcp.sequence(from + TCP) - before, headers, before + octets, flags);
    pool.release(held);
    pool.release(next);
    held = 0;
    joins++;
    return whole;
  }

  /** Whether a segment follows the one held back in the stream. */
  private boolean follows(long next) {
    long a = pool.address(held);
    long b = pool.address(next);
    long ipA = a + Ethernet.HEADER;
    long ipB = b + Ethernet.HEADER;
    return Ethernet.destination(a) == Ethernet.destination(b)
        && Ipv4.source(ipA) == Ipv4.source(ipB)
        && Ipv4.destination(ipA) == Ipv4.destination(ipB)
        && Ipv4.ecn(ipA) == Ipv4.ecn(ipB)
        && Tcp.sourcePort(a + TCP) == Tcp.sourcePort(b + TCP)
        && Tcp.destinationPort(a + TCP) == Tcp.destinationPort(b + TCP)
        && Tcp.sequence(a + TCP) + payload(held) == Tcp.sequence(b + TCP);
  }

  /** Passes the first part of a segment on; returns the rest. */
  private long split(long segment) {
    int octets = payload(segment);
    long first = octets > 1 ? pool.allocate() : 0;
    long rest = first == 0 ? 0 : pool.allocate();
    if (rest == 0) {
      if (first != 0) {
        pool.release(first);
      }
      return segment;
    }
    int cut = random.nextInt(1, octets);
    int flags = Tcp.flags(pool.address(segment) + TCP);
    part(segment, first, 0, cut, flags & ~(Tcp.FIN | Tcp.PSH));
    part(segment, rest, cut, octets - cut, flags & ~CWR);
    pool.release(segment);
    ready[readyEnd++] = first;
    splits++;
    return rest;
  }

  private void part(long segment, long part, int offset, int octets, int flags) {
    long from = pool.address(segment);
    long to = pool.address(part);
    int headers = headers(segment);
    Memory.copy(from, to, headers);
    Memory.copy(from + headers + offset, to + headers, octets);
    finish(part, Tcp.sequence(from + TCP) + offset, headers, octets, flags);
  }

  /** Updates the headers for a new payload; addresses, acknowledgment, window and options stay. */
  private void finish(long packet, int sequence, int headers, int octets, int flags) {
    long frame = pool.address(packet);
    long ip = frame + Ethernet.HEADER;
    long tcp = frame + TCP;
    int source = Ipv4.source(ip);
    int destination = Ipv4.destination(ip);
    int total = headers - Ethernet.HEADER + octets;
    Ipv4.write(ip, total, Ipv4.PROTOCOL_TCP, source, destination, Ipv4.ecn(ip));
    int length = total - Ipv4.HEADER;
    Tcp.write(
        tcp,
        Tcp.sourcePort(tcp),
        Tcp.destinationPort(tcp),
        sequence,
        Tcp.acknowledgment(tcp),
        headers - TCP,
        flags,
        Tcp.window(tcp));
    Tcp.putChecksum(
        tcp, 0xffff); // the field becomes zero, so that the sum below does not contain it
    long pseudo = Checksum.pseudoHeader(source, destination, Ipv4.PROTOCOL_TCP, length);
    Tcp.putChecksum(tcp, pseudo + Checksum.sum(tcp, length));
    pool.window(packet, frame, headers + octets);
  }

  /** Segments split so far. */
  public long splits() {
    return splits;
  }

  /** Segments joined so far. */
  public long joins() {
    return joins;
  }

  @Override
  public void close() {
    passHeld();
    for (; readyFirst < readyEnd; readyFirst++) {
      pool.release(ready[readyFirst]);
    }
    super.close();
  }
}
