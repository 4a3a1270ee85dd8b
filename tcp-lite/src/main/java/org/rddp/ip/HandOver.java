package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.StackMember;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/**
 * The packet that a stack is processing, and its hand-over to another stack of the interface when
 * its port is another's.
 */
final class HandOver {
  private final PacketPool pool;
  private final StackMember member;
  private final IpCounters counters;

  /** What the numbers of remote addresses of IPv6 mean; null without IPv6. */
  private final Ipv6Paths paths;

  /** The stack that received what is being processed. */
  private int origin = StackMember.HERE;

  /** Whether another stack has got the packet being processed. */
  private boolean given;

  /** What is processed is not to be answered by a reset: another stack had a reason against it. */
  private boolean quiet;

  HandOver(PacketPool pool, StackMember member, Ipv6Paths paths, IpCounters counters) {
    this.pool = pool;
    this.member = member;
    this.paths = paths;
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

  /** Whether what is being processed is not to be answered by a reset. */
  boolean isQuiet() {
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

  /** See {@link IpLayer#handOver}. */
  boolean segment(
      int port,
      int remote,
      long senderMac,
      int ecn,
      long address,
      int length,
      long packet,
      boolean quietly) {
    int slot = slot(remote, Tcp.sourcePort(address), port);
    if (!member.hasNext(port, slot, origin)) {
      return false;
    }
    long copied = pool.shared(packet) ? copy(address, length) : packet;
    long from = copied == packet ? address : pool.address(copied);
    if (copied == 0) {
      counters.handOversDropped++;
    } else if (passOn(
        member.entry().segment(quiet || quietly, ecn, copied, from, length, senderMac),
        remote,
        port,
        slot)) {
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

  /** The place of a connection, the same for all stacks: {@link StackMember#slot}. */
  int slot(int remote, int remotePort, int localPort) {
    long address = IpLayer.isIpv6(remote) ? paths.at(remote).hash() : remote;
    return member.slot(address, remotePort, localPort);
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

  private boolean passOn(HandOverEntry entry, int remote, int port, int slot) {
    return member.passOn(to(entry, remote), port, slot, origin);
  }

  /** Sets the remote address of an entry. */
  private HandOverEntry to(HandOverEntry entry, int remote) {
    if (!IpLayer.isIpv6(remote)) {
      return entry.remote(remote);
    }
    Ipv6Path path = paths.at(remote);
    return entry.remote(path.high, path.low, path.local);
  }

  /** Tells every other stack the MTU of a path. */
  void tellPathMtu(int remote, int octets) {
    member.tell(to(member.entry().pathMtu(octets), remote));
  }

  /**
   * Hands over an error about a packet.
   *
   * @param value the reason, or the MTU claimed
   */
  void error(Kind kind, int value, int remote, int localPort, int remotePort, int sequence) {
    int slot = slot(remote, remotePort, localPort);
    if (member.hasNext(localPort, slot, origin)) {
      HandOverEntry entry = member.entry().error(kind, value, localPort, remotePort, sequence);
      if (passOn(entry, remote, localPort, slot)) {
        counters.handedOver++;
      } else {
        counters.handOversDropped++;
      }
    }
  }
}
