package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.StackMember;
import org.rddp.wire.Memory;
import org.rddp.wire.TcpSegment;

/**
 * The packet that a stack is processing, and its hand-over to another stack of the interface when
 * its port is another's.
 */
public final class HandOver {
  private final PacketPool pool;
  private final StackMember member;
  private final IpCounters counters;

  /** The stack that received what is being processed. */
  private int origin = StackMember.HERE;

  /** Whether another stack has got the packet being processed. */
  private boolean given;

  /** What is processed is not to be answered by a reset: another stack had a reason against it. */
  private boolean quiet;

  HandOver(PacketPool pool, StackMember member, IpCounters counters) {
    this.pool = pool;
    this.member = member;
    this.counters = counters;
  }

  /**
   * What follows was received by another stack, or by this one: {@link StackMember#HERE}.
   *
   * @param quietly it is not to be answered by a reset
   */
  void from(int stack, boolean quietly) {
    origin = stack;
    quiet = quietly;
  }

  /** Whether what is being processed, which another stack has handed over, is not to be reset. */
  public boolean isQuiet() {
    return quiet;
  }

  /** Whether another stack has received and checked what is being processed. */
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
   * Hands over a segment without a connection to the next stack of the interface that may have it.
   *
   * @param path that it has come by
   * @param quietly no other stack is to answer it by a reset
   * @return false if no other stack may have it, which has seen nothing of it then
   */
  public boolean segment(Path path, TcpSegment segment, boolean quietly) {
    int port = segment.localPort;
    int slot = member.slot(path.hash(), segment.remotePort, port);
    if (!member.hasNext(port, slot, origin)) {
      return false;
    }
    long packet = segment.packet;
    long address = segment.header;
    int length = (int) (segment.payload - address) + segment.length;
    long copied = pool.shared(packet) ? copy(address, length) : packet;
    if (copied == 0) {
      counters.handOversDropped++;
      return true;
    }
    HandOverEntry entry = member.entry(quiet || quietly ? Kind.QUIET_SEGMENT : Kind.SEGMENT);
    entry.packet = copied;
    entry.header = copied == packet ? address : pool.address(copied);
    entry.length = length;
    entry.code = segment.ecn;
    entry.macAddress = segment.remoteMac;
    if (passOn(entry, path, port, slot)) {
      counters.handedOver++;
      given = copied == packet;
    } else {
      counters.handOversDropped++;
      if (copied != packet) {
        pool.release(copied);
      }
    }
    return true;
  }

  /** A packet with those octets, for another stack; 0 if there is none. */
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
   * Hands over a claim about a packet without a connection here: see {@link
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
