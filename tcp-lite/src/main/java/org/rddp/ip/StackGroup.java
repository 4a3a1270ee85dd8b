package org.rddp.ip;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The stacks of one interface whose device has several queues: one stack for each queue, each with
 * a thread of its own, or several of them on one.
 *
 * <p>On the way of a packet they have nothing in common; limits of connections are for all stacks
 * together. What comes to a stack that does not have the connection is handed over to the stacks
 * that own its local port, one after the other. A stack owns a port by listening, and its share of
 * the ephemeral ports by its number.
 */
public final class StackGroup {
  /** The most stacks. */
  public static final int MOST = 32;

  private static final int PORTS = 1 << 16;

  /** What may wait at most from all stacks to one: more than the windows of some connections. */
  private static final int WAITING = 8192;

  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

  private final StackMember[] members;
  private final SharedCounts connections = new SharedCounts();

  /** The stacks that listen at a port, or have listened: a bit for each. */
  private final int[] listening;

  /**
   * A group.
   *
   * @param stacks 1 to {@link #MOST}
   */
  public StackGroup(int stacks) {
    this(stacks, Integer.highestOneBit(WAITING / Math.clamp(stacks, 1, MOST)));
  }

  /**
   * A group.
   *
   * @param stacks 1 to {@link #MOST}
   * @param capacity what waits at most from one stack to another, a power of two; more is dropped
   */
  public StackGroup(int stacks, int capacity) {
    if (stacks < 1 || stacks > MOST) {
      throw new IllegalArgumentException(stacks + " stacks are not 1 to " + MOST);
    }
    listening = stacks == 1 ? null : new int[PORTS];
    members = new StackMember[stacks];
    for (int i = 0; i < stacks; i++) {
      members[i] = new StackMember(this, i, stacks, capacity);
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

  /** Connections of all stacks by remote address, those in TIME-WAIT included. */
  SharedCounts connections() {
    return connections;
  }

  /** The stacks. */
  int size() {
    return members.length;
  }

  /** A stack listens at a port. */
  void listen(int port, int member) {
    if (listening != null) {
      ELEMENT.getAndBitwiseOr(listening, port, 1 << member);
    }
  }

  /** Whether a stack owns a port. */
  boolean owns(int port, int member) {
    return owner(port) == member
        || ((int) ELEMENT.getVolatile(listening, port) >>> member & 1) != 0;
  }

  /** The stack that owns an ephemeral port from the beginning. */
  private int owner(int port) {
    return port >= StackMember.FIRST_EPHEMERAL_PORT ? port % members.length : -1;
  }
}
