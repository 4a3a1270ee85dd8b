package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.StackMember;
import org.rddp.wire.Memory;
import org.rddp.wire.TcpSegment;

/**
 * Hands the packet that a stack is processing over to another stack of the interface, if that may
 * have its connection.
 */
public final class HandOver {
  private final PacketPool pool;
  private final StackMember member;
  private final IpCounters counters;

  /** The stack that received the packet being processed. */
  private int origin = StackMember.HERE;

  /** Whether another stack has got the packet being processed. */
  private boolean given;

  /** Suppress RST: another stack asked for it. */
  private boolean quiet;

  HandOver(PacketPool pool, StackMember member, IpCounters counters) {
    this.pool = pool;
    this.member = member;
    this.counters = counters;
  }

  /**
   * Sets the stack that received the following packets: another one, or {@link StackMember#HERE}.
   *
   * @param quietly whether they must not be answered by a reset
   */
  void from(int stack, boolean quietly) {
    origin = stack;
    quiet = quietly;
  }

  /**
   * Whether the packet being processed must not be answered by a reset, because another stack asked
   * for that.
   */
  public boolean isQuiet() {
    return quiet;
  }

  /** Whether another stack has received and checked the packet being processed. */
  boolean fromAnother() {
    return origin != StackMember.HERE;
  }

  /** Releases a packet that has been processed, unless another stack has it now. */
  void done(long packet) {
    if (given) {
      given = false;
    } else {
      pool.release(packet);
    }
  }

  /**
   * Hands a segment without a connection here over to the next stack that may have its connection.
   * If there is no packet for a copy, or that stack's queue is full, the segment is dropped and
   * counted.
   *
   * @param path that it has come by
   * @param quietly whether no other stack may answer it by a reset
   * @return false if no other stack may have its connection; then nothing was done
   */
  public boolean segment(Path path, TcpSegment segment, boolean quietly) {
    int port = segment.localPort;
    int slot = member.slot(path.hash(), segment.remotePort, port);
    if (!member.hasNext(port, slot, origin)) {
      return false;
    }
    long address = segment.header;
    int length = (int) (segment.payload - address) + segment.length;
    HandOverEntry entry = member.entry(quiet || quietly ? Kind.QUIET_SEGMENT : Kind.SEGMENT);
    if (load(entry, segment.packet, address, length)) {
      entry.code = segment.ecn;
      entry.macAddress = segment.remoteMac;
      finish(passOn(entry, path, port, slot), segment.packet, entry.packet);
    }
    return true;
  }

  /**
   * Hands a packet in ESP over to the stack that opens those of its association. If there is no
   * packet for a copy, or that stack's queue is full, it is dropped and counted.
   *
   * @param owner that stack
   * @param path that it has come by
   * @param header address of the ESP header
   * @param length octets from there to the packet's end
   */
  void sealed(int owner, Path path, long senderMac, int ecn, long header, int length, long packet) {
    HandOverEntry entry = member.entry(Kind.SEALED);
    if (load(entry, packet, header, length)) {
      entry.code = ecn;
      entry.macAddress = senderMac;
      path.writeTo(entry);
      finish(member.pass(entry, owner), packet, entry.packet);
    }
  }

  /** Counts a packet that was handed over to a stack that may no longer open it. */
  void dropped() {
    counters.handOversDropped++;
  }

  /** Puts a packet into an entry, or a copy of its octets if somebody else still reads it. */
  private boolean load(HandOverEntry entry, long packet, long address, int length) {
    long copied = pool.shared(packet) ? copy(address, length) : packet;
    if (copied == 0) {
      counters.handOversDropped++;
      return false;
    }
    entry.packet = copied;
    entry.header = copied == packet ? address : pool.address(copied);
    entry.length = length;
    return true;
  }

  private void finish(boolean taken, long packet, long copied) {
    if (taken) {
      counters.handedOver++;
      given = copied == packet;
    } else {
      counters.handOversDropped++;
      if (copied != packet) {
        pool.release(copied);
      }
    }
  }

  /** Copies octets into a new packet for another stack; returns 0 if the pool is empty. */
  private long copy(long address, int length) {
    long packet = length > pool.room() ? pool.allocateLong() : pool.allocate();
    if (packet != 0) {
      Memory.copy(address, pool.address(packet), length);
      pool.window(packet, pool.address(packet), length);
    }
    return packet;
  }

  private boolean passOn(HandOverEntry entry, Path path, int port, int slot) {
    path.writeTo(entry);
    return member.passOn(entry, port, slot, origin);
  }

  /** Tells every other stack the MTU of a path. */
  void tellPathMtu(Path path, int octets) {
    HandOverEntry entry = member.entry(Kind.PATH_MTU);
    entry.length = octets;
    path.writeTo(entry);
    member.tell(entry);
  }

  /**
   * Hands over an error about a packet without a connection here: see {@link
   * TransportHandler#onUnreachable}.
   */
  public void unreachable(int code, Path path, int localPort, int remotePort, int sequence) {
    error(Kind.UNREACHABLE, code, path, localPort, remotePort, sequence);
  }

  /**
   * Hands over a path MTU claim about a packet without a connection here: see {@link
   * TransportHandler#onTooBig}.
   */
  public void tooBig(Path path, int mtu, int localPort, int remotePort, int sequence) {
    error(Kind.TOO_BIG, mtu, path, localPort, remotePort, sequence);
  }

  private void error(Kind kind, int value, Path path, int localPort, int remotePort, int sequence) {
    int slot = member.slot(path.hash(), remotePort, localPort);
    if (member.hasNext(localPort, slot, origin)) {
      HandOverEntry entry = member.entry(kind);
      entry.length = value;
      entry.localPort = localPort;
      entry.remotePort = remotePort;
      entry.sequence = sequence;
      if (passOn(entry, path, localPort, slot)) {
        counters.handedOver++;
      } else {
        counters.handOversDropped++;
      }
    }
  }
}
