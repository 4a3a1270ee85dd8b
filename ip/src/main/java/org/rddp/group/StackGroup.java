package org.rddp.group;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.rddp.snapshot.Snapshot;

/**
 * The stacks of one interface whose device has several queues: one stack for each queue, each with
 * a thread of its own, or several of them on one.
 *
 * <p>The stacks share nothing that a packet's ordinary path needs; the limits of connections are
 * for all stacks together. A stack that receives a packet without having its connection hands it
 * over to the stacks that may have it, one after the other: those that listen at its local port, or
 * have listened, and the one that has claimed the port towards its remote address and port.
 */
public final class StackGroup {
  /** The most stacks. */
  public static final int MOST = 32;

  private static final int PORTS = 1 << 16;

  /** The most entries that may wait for one stack: more than the windows of some connections. */
  private static final int WAITING = 8192;

  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

  private final StackMember[] members;
  private final UsableAddresses usableAddresses = new UsableAddresses();
  private final SharedCounts connections = new SharedCounts();

  /** By port, a bit for each stack that listens there or has listened. */
  private final int[] listening;

  /** By port, a bit for each stack that listens there now. */
  private final int[] listeners;

  /** The ephemeral ports in use; null if there is one stack, which knows them. */
  private final PortClaims claims;

  /** By group of ports ({@link StackMember#group}), the stack that its connections come to. */
  private final int[] owners = new int[MOST];

  /**
   * Creates a group.
   *
   * @param stacks 1 to {@link #MOST}
   */
  public StackGroup(int stacks) {
    this(stacks, Integer.highestOneBit(WAITING / Math.clamp(stacks, 1, MOST)));
  }

  /**
   * Creates a group.
   *
   * @param stacks 1 to {@link #MOST}
   * @param capacity the most entries that wait from one stack to another, a power of two; more are
   *     dropped
   */
  public StackGroup(int stacks, int capacity) {
    if (stacks < 1 || stacks > MOST) {
      throw new IllegalArgumentException(stacks + " stacks are not 1 to " + MOST);
    }
    listening = stacks == 1 ? null : new int[PORTS];
    listeners = stacks == 1 ? null : new int[PORTS];
    claims = stacks == 1 ? null : new PortClaims();
    members = new StackMember[stacks];
    for (int i = 0; i < MOST; i++) {
      owners[i] = i % stacks;
    }
    for (int i = 0; i < stacks; i++) {
      members[i] = new StackMember(this, i, stacks, capacity);
    }
  }

  /** Creates the only stack of an interface. */
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

  /**
   * The stack to which connections from remote ports of a group come, at ports at which all stacks
   * listen for each other. Any thread.
   */
  public int owner(int group) {
    return (int) ELEMENT.getVolatile(owners, group);
  }

  /**
   * Lets them come to another stack from now on. One thread at a time.
   *
   * @param group 0 to {@link #MOST} - 1
   */
  public void give(int group, int member) {
    ELEMENT.setVolatile(owners, group, member);
  }

  /**
   * Transfers which stack each group's connections come to. When read, the stacks have made no
   * turn; groups of stacks that this one has not stay as they are.
   */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(StackGroup.class);
    for (int i = 0; i < MOST; i++) {
      int owner = snapshot.number("owner", owner(i), 0, MOST - 1);
      if (owner < members.length) {
        give(i, owner);
      }
    }
    snapshot.end();
  }

  /** Packets to a port may be for this stack from now on. */
  void own(int port, int member) {
    if (listening != null) {
      ELEMENT.getAndBitwiseOr(listening, port, 1 << member);
    }
  }

  /** Registers a stack as listening at a port. */
  void listen(int port, int member) {
    if (listening != null) {
      own(port, member);
      ELEMENT.getAndBitwiseOr(listeners, port, 1 << member);
    }
  }

  /** Removes a stack's listener; it keeps the connections that it has accepted. */
  void closeListener(int port, int member) {
    if (listening != null) {
      ELEMENT.getAndBitwiseAnd(listeners, port, ~(1 << member));
    }
  }

  /** Whether a stack listens at a port. */
  boolean hasListener(int port) {
    return listening != null && (int) ELEMENT.getVolatile(listeners, port) != 0;
  }

  /** Removes a stack from every port, after it has been closed. */
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
   * Whether packets to a port may be for a stack.
   *
   * @param slot of the connection: {@link PortClaims#slot}
   */
  boolean owns(int port, int slot, int member) {
    return ((int) ELEMENT.getVolatile(listening, port) >>> member & 1) != 0
        || (slot != PortClaims.NONE && claims.owner(slot) == member);
  }
}
