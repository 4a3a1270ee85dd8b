package org.rddp.ip;

import java.lang.invoke.VarHandle;
import org.rddp.device.PacketPool;

/**
 * One stack's place in its {@link StackGroup}: what it hands over to the others, and what they hand
 * over to it. For the stack's thread.
 */
public final class StackMember {
  /** The first port that connections leave from (RFC 6335 section 6); the last is 65535. */
  public static final int FIRST_EPHEMERAL_PORT = 49152;

  /** Most entries taken from one other stack at once. */
  private static final int BURST = 64;

  private static final int ORIGIN_SHIFT = 8;
  private static final int ECN_SHIFT = 16;
  private static final int LENGTH_SHIFT = 32;
  private static final int OCTET = 0xff;

  /** What is handed over: a segment, or an ICMP error about one. */
  static final int SEGMENT = 0;

  static final int UNREACHABLE = 1;
  static final int TOO_BIG = 2;

  /** What all are told: an ARP message, or the MTU of a path. */
  static final int ARP = 3;

  static final int PATH_MTU = 4;

  /** A segment that is not to be answered by a reset. */
  static final int QUIET_SEGMENT = 5;

  /** What all are told: a neighbour advertisement. */
  static final int ADVERTISEMENT = 6;

  /** What all are told: a router advertisement, or a redirect. */
  static final int ROUTER = 7;

  static final int REDIRECT = 8;

  /** What the first is told: another host claims an address of ours. */
  static final int CLAIM = 9;

  private final StackGroup group;
  private final int index;
  private final int size;

  /** From each other stack; that from itself is null. */
  private final HandOverQueue[] queues;

  private Runnable wake = () -> {};

  /** The stacks that have got something since {@link #wakeOthers}: a bit for each. */
  private int told;

  StackMember(StackGroup group, int index, int size, int capacity) {
    this.group = group;
    this.index = index;
    this.size = size;
    queues = new HandOverQueue[size];
    for (int i = 0; i < size; i++) {
      queues[i] = i == index ? null : new HandOverQueue(capacity);
    }
  }

  /**
   * Sets the wake-up of this stack's thread, which others call after they have handed over. Before
   * the first packet.
   */
  public void wakeBy(Runnable wake) {
    this.wake = wake;
  }

  /** Whether there is no other stack. */
  public boolean isAlone() {
    return size == 1;
  }

  /** Connections of all stacks by remote address. */
  SharedCounts connections() {
    return group.connections();
  }

  /** {@link StackGroup#usableAddresses}. */
  UsableAddresses usableAddresses() {
    return group.usableAddresses();
  }

  /** Whether it speaks for all on the link. */
  boolean isFirst() {
    return index == 0;
  }

  /**
   * Whether a port is one of this stack's share of all ports. From these it listens, and connects
   * where it is not known which queue gets the answers.
   */
  public boolean isOfShare(int port) {
    return size == 1 || port % size == index;
  }

  /** This stack listens at a port. */
  public void listen(int port) {
    group.listen(port, index);
  }

  /** This stack listens at a port no longer. */
  public void closeListener(int port) {
    group.closeListener(port, index);
  }

  /** This stack has a connection from a port, as if it had listened there. */
  public void own(int port) {
    group.own(port, index);
  }

  /** Whether a stack of the interface listens at a port. */
  public boolean hasListener(int port) {
    return group.hasListener(port);
  }

  /**
   * Claims an ephemeral port towards a remote address and port.
   *
   * @param slot of the connection: {@link PortClaims#slot}
   * @return false if another stack has it
   */
  boolean claim(int slot) {
    return size == 1 || slot == PortClaims.NONE || group.claims().claim(slot, index);
  }

  /** Ends a claim. */
  void release(int slot) {
    if (size > 1 && slot != PortClaims.NONE) {
      group.claims().release(slot, index);
    }
  }

  /**
   * The next stack that may have what came for a local port, of those which have not seen it.
   *
   * @param slot of the connection: {@link PortClaims#slot}
   * @param origin the stack that received it
   * @return -1 if there is none
   */
  private int next(int port, int slot, int origin) {
    for (int i = index + 1 == size ? 0 : index + 1; i != origin; i = i + 1 == size ? 0 : i + 1) {
      if (group.owns(port, slot, i)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether another stack may have what came for a local port. */
  boolean hasNext(int port, int slot, int origin) {
    return size > 1 && next(port, slot, origin == HERE ? index : origin) >= 0;
  }

  /** As the origin: it was received by this stack. */
  static final int HERE = -1;

  /**
   * Hands over what came for a local port to the next stack that may have it.
   *
   * @param slot of the connection: {@link PortClaims#slot}
   * @param remote an address of IPv4; for IPv6, which of our addresses it came to
   * @param high upper half of the remote address of IPv6
   * @param low its lower half
   * @return whether that one had room
   */
  boolean passOn(
      int kind,
      int port,
      int slot,
      int origin,
      int ecn,
      int length,
      long a,
      long b,
      int remote,
      long mac,
      long high,
      long low) {
    int from = origin == HERE ? index : origin;
    return hand(next(port, slot, from), kind, from, ecn, length, a, b, remote, mac, high, low);
  }

  /** Tells every other stack. */
  void tell(int kind, int code, int remote, long a, long b, long high, long low) {
    for (int i = 0; i < size; i++) {
      if (i != index) {
        boolean ignored = hand(i, kind, index, code, 0, a, b, remote, 0, high, low);
      }
    }
  }

  /** Tells the first stack, which this one is not. */
  void tellFirst(int kind, int code, long a, long b) {
    boolean ignored = hand(0, kind, index, code, 0, a, b, 0, 0, 0, 0);
  }

  private boolean hand(
      int to,
      int kind,
      int origin,
      int ecn,
      int length,
      long a,
      long b,
      int remote,
      long mac,
      long high,
      long low) {
    long head =
        kind
            | (long) origin << ORIGIN_SHIFT
            | (long) ecn << ECN_SHIFT
            | (long) length << LENGTH_SHIFT;
    if (!group.member(to).queues[index].offer(head, a, b, remote, mac, high, low)) {
      return false;
    }
    told |= 1 << to;
    return true;
  }

  /** Wakes the threads of the stacks that have got something. After each burst. */
  void wakeOthers() {
    if (told != 0) {
      VarHandle.fullFence();
      for (int i = 0; i < size; i++) {
        if ((told >>> i & 1) != 0) {
          group.member(i).wake.run();
        }
      }
      told = 0;
    }
  }

  /** Takes what the other stacks have handed over; returns how much. */
  int receive(HandOverInput input, long now) {
    int taken = 0;
    for (HandOverQueue queue : queues) {
      if (queue != null) {
        taken += receive(queue, input, now);
      }
    }
    return taken;
  }

  private static int receive(HandOverQueue queue, HandOverInput input, long now) {
    int count = Math.min(queue.size(), BURST);
    for (int i = 0; i < count; i++) {
      long head = queue.word(0);
      long a = queue.word(1);
      long b = queue.word(2);
      int remote = (int) queue.word(3);
      long mac = queue.word(4);
      long high = queue.word(5);
      long low = queue.word(6);
      queue.remove();
      int origin = (int) (head >>> ORIGIN_SHIFT) & OCTET;
      int ecn = (int) (head >>> ECN_SHIFT) & OCTET;
      int length = (int) (head >>> LENGTH_SHIFT);
      input.process((int) head & OCTET, origin, ecn, length, a, b, remote, mac, high, low, now);
    }
    return count;
  }

  /**
   * Prepares the place for another stack, after the one that had it has failed: releases what waits
   * for it, its ports and its claims. On the thread of both.
   *
   * @param pool of the packets
   */
  public void vacate(PacketPool pool) {
    close(pool);
    group.forget(index);
    told = 0;
  }

  /** Releases the packets that wait to be taken. */
  void close(PacketPool pool) {
    for (HandOverQueue queue : queues) {
      while (queue != null && queue.size() > 0) {
        int kind = (int) queue.word(0) & OCTET;
        if (kind == SEGMENT || kind == QUIET_SEGMENT) {
          pool.release(queue.word(1));
        }
        queue.remove();
      }
    }
  }
}
