package org.rddp.ip;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The stacks of one interface whose device has several queues: one stack for each queue, each with
 * a thread of its own, or several of them on one.
 *
 * <p>On the way of a packet they have nothing in common. What comes to a stack that does not have
 * the connection is handed over to the stacks that own its local port, one after the other. A stack
 * owns a port by listening, and its share of the ephemeral ports by its number.
 */
public final class StackGroup {
  /** The most stacks. */
  public static final int MOST = 32;

  private static final int PORTS = 1 << 16;

  private final StackMember[] members;

  /** The stacks that listen at a port, or have listened: a bit for each. */
  private final AtomicIntegerArray listening;

  /**
   * A group.
   *
   * @param stacks 1 to {@link #MOST}
   */
  public StackGroup(int stacks) {
    if (stacks < 1 || stacks > MOST) {
      throw new IllegalArgumentException(stacks + " stacks are not 1 to " + MOST);
    }
    listening = stacks == 1 ? null : new AtomicIntegerArray(PORTS);
    members = new StackMember[stacks];
    for (int i = 0; i < stacks; i++) {
      members[i] = new StackMember(this, i, stacks);
    }
  }

  /** The only stack of an interface. */
  public static StackMember alone() {
    return new StackGroup(1).member(0);
  }

  /** A stack of the group, from 0. */
  public StackMember member(int index) {
    return members[index];
  }

  /** The stacks. */
  int size() {
    return members.length;
  }

  /** A stack listens at a port. */
  void listen(int port, int member) {
    if (listening != null) {
      listening.getAndAccumulate(port, 1 << member, (before, bit) -> before | bit);
    }
  }

  /** Whether a stack owns a port. */
  boolean owns(int port, int member) {
    return owner(port) == member || (listening.get(port) >>> member & 1) != 0;
  }

  /** The stack that owns an ephemeral port from the beginning. */
  private int owner(int port) {
    return port >= StackMember.FIRST_EPHEMERAL_PORT ? port % members.length : -1;
  }
}
