package org.rddp.group;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The stacks of one interface whose device has several queues: one stack for each queue, each with
 * a thread of its own, or several of them on one.
 *
 * <p>On the way of a packet they have nothing in common; limits of connections are for all stacks
 * together. What comes to a stack that does not have the connection is handed over to the stacks
 * that may have it, one after the other: those that listen at its local port, or have listened, and
 * the one that has claimed the port towards its remote address and port.
 */
public final class StackGroup {
  /** The most stacks. */
  public static final int MOST = 32;

  private static final int PORTS = 1 << 16;

  /** What may wait at most from all stacks to one: more than the windows of some connections. */
  private static final int WAITING = 8192;

  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

  private final StackMember[] members;
  private final UsableAddresses usableAddresses = new UsableAddresses();
  private final SharedCounts connections = new SharedCounts();

  /** The stacks that listen at a port, or have listened: a bit for each. */
  private final int[] listening;

  /** The stacks that listen at a port now. */
  private final int[] listeners;

  /** The ephemeral ports in use; null if there is one stack, which knows them. */
  private final PortClaims claims;

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
    listeners = stacks == 1 ? null : new int[PORTS];
    claims = stacks == 1 ? null : new PortClaims();
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

  /** The IPv6 addresses that the stacks may use. */
  UsableAddresses usableAddresses() {
    return usableAddresses;
  }

  /** The stacks. */
  int size() {
    return members.length;
  }

  /** What comes for a port may be a stack's from now on. */
  void own(int port, int member) {
    if (listening != null) {
      ELEMENT.getAndBitwiseOr(listening, port, 1 << member);
    }
  }

  /** A stack listens at a port. */
  void listen(int port, int member) {
    if (listening != null) {
      own(port, member);
      ELEMENT.getAndBitwiseOr(listeners, port, 1 << member);
    }
  }

  /** A stack listens at a port no longer; the connections that it has accepted stay its own. */
  void closeListener(int port, int member) {
    if (listening != null) {
      ELEMENT.getAndBitwiseAnd(listeners, port, ~(1 << member));
    }
  }

  /** Whether a stack listens at a port. */
  boolean hasListener(int port) {
    return listening != null && (int) ELEMENT.getVolatile(listeners, port) != 0;
  }

  /** A stack is no more: nothing is its own. */
  void forget(int member) {
    if (listening != null) {
      for (int port = 0; port < PORTS; port++) {
        ELEMENT.getAndBitwiseAnd(listening, port, ~(1 << member));
        ELEMENT.getAndBitwiseAnd(listeners, port, ~(1 << member));
      }
      claims.forget(member);
    }
  }

  /** The ephemeral ports in use; null if there is one stack. */
  PortClaims claims() {
    return claims;
  }

  /**
   * Whether a stack may have what comes for a port.
   *
   * @param slot of the connection: {@link PortClaims#slot}
   */
  boolean owns(int port, int slot, int member) {
    return ((int) ELEMENT.getVolatile(listening, port) >>> member & 1) != 0
        || (slot != PortClaims.NONE && claims.owner(slot) == member);
  }
}
