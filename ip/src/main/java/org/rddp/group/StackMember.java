package org.rddp.group;

import java.lang.invoke.VarHandle;
import org.rddp.device.PacketPool;
import org.rddp.group.HandOverEntry.Kind;

/**
 * One stack's access to its {@link StackGroup}: hands entries over to the other stacks and takes
 * theirs. The stack's thread only.
 */
public final class StackMember {
  /** The first port that connections leave from (RFC 6335 section 6); the last is 65535. */
  public static final int FIRST_EPHEMERAL_PORT = 49152;

  /** Most entries taken from one other stack at once. */
  private static final int BURST = 64;

  /** The origin of packets that this stack has received itself. */
  public static final int HERE = -1;

  private final StackGroup group;
  private final int index;
  private final int size;

  /** One queue from each other stack; null at this stack's own index. */
  private final HandOverQueue[] queues;

  private Runnable wake = () -> {};

  /** A bit for each stack that has got an entry since the last {@link #wakeOthers}. */
  private int told;

  private final HandOverEntry outgoing = new HandOverEntry();
  private final HandOverEntry incoming = new HandOverEntry();

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
   * Sets the wake-up of this stack's thread, which other stacks call after they have handed entries
   * over. Call before the first packet.
   */
  public void wakeBy(Runnable wake) {
    this.wake = wake;
  }

  /** Whether there is no other stack. */
  public boolean isAlone() {
    return size == 1;
  }

  /** Connections of all stacks by remote address. */
  public SharedCounts connections() {
    return group.connections();
  }

  /** {@link StackGroup#usableAddresses}. */
  public UsableAddresses usableAddresses() {
    return group.usableAddresses();
  }

  /** Whether this is the first stack, which sends ARP announcements and the like for all. */
  public boolean isFirst() {
    return index == 0;
  }

  /**
   * Whether a port belongs to this stack's share of all ports. The stack listens at ports of its
   * share, and connects from them if the receive queue cannot be predicted.
   */
  public boolean isOfShare(int port) {
    return size == 1 || port % size == index;
  }

  /**
   * Whether this stack takes connections from a remote port to a port at which all stacks listen
   * for each other: {@link StackGroup#owner}.
   */
  public boolean isOfRemotePort(int remotePort) {
    return group.owner(group(remotePort)) == index;
  }

  /** Which of {@link StackGroup#MOST} groups a port is of: its lowest five bits. */
  public static int group(int port) {
    return port & (StackGroup.MOST - 1);
  }

  /** Registers this stack as listening at a port. */
  public void listen(int port) {
    group.listen(port, index);
  }

  /** Removes this stack's listener from a port. */
  public void closeListener(int port) {
    group.closeListener(port, index);
  }

  /** Registers a connection of this stack from a port, as if it had listened there. */
  public void own(int port) {
    group.own(port, index);
  }

  /** Whether a stack of the interface listens at a port. */
  public boolean hasListener(int port) {
    return group.hasListener(port);
  }

  /**
   * The place of a connection, the same for all stacks: {@link PortClaims#slot}.
   *
   * @param remote hash of the remote address
   */
  public int slot(long remote, int remotePort, int localPort) {
    return size == 1 ? PortClaims.NONE : PortClaims.slot(remote, remotePort, localPort);
  }

  /**
   * Claims a local port towards a remote address and port, so that no other stack of the interface
   * chooses it.
   *
   * @param slot of the connection: {@link #slot}
   * @return false if another stack has it
   */
  public boolean claim(int slot) {
    return slot == PortClaims.NONE || group.claims().claim(slot, index);
  }

  /** Undoes one {@link #claim}, after the connection has ended. */
  public void release(int slot) {
    if (slot != PortClaims.NONE) {
      group.claims().release(slot, index);
    }
  }

  /**
   * The next stack that may have the connection of a packet, of those that have not seen it yet.
   *
   * @param slot of the connection: {@link #slot}
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

  /** Whether another stack may have the connection of a packet to a local port. */
  public boolean hasNext(int port, int slot, int origin) {
    return size > 1 && next(port, slot, origin == HERE ? index : origin) >= 0;
  }

  /** The entry to be filled and then passed to {@link #passOn}, {@link #tell} or tellFirst. */
  public HandOverEntry entry(Kind kind) {
    outgoing.kind = kind;
    return outgoing;
  }

  /**
   * Hands an entry for a local port over to the next stack that may have its connection.
   *
   * @param slot of the connection: {@link #slot}
   * @param origin the stack that received it
   * @return whether that stack's queue had room
   */
  public boolean passOn(HandOverEntry entry, int port, int slot, int origin) {
    int from = origin == HERE ? index : origin;
    entry.origin = from;
    return hand(next(port, slot, from), entry);
  }

  /**
   * Hands an entry over to one other stack.
   *
   * @return whether its queue had room
   */
  public boolean pass(HandOverEntry entry, int to) {
    entry.origin = index;
    return hand(to, entry);
  }

  /** Sends an entry to every other stack. */
  public void tell(HandOverEntry entry) {
    entry.origin = index;
    for (int i = 0; i < size; i++) {
      if (i != index) {
        boolean ignored = hand(i, entry);
      }
    }
  }

  /** Sends an entry to the first stack. This stack must not be the first. */
  public void tellFirst(HandOverEntry entry) {
    entry.origin = index;
    boolean ignored = hand(0, entry);
  }

  private boolean hand(int to, HandOverEntry entry) {
    if (!group.member(to).queues[index].offer(entry)) {
      return false;
    }
    told |= 1 << to;
    return true;
  }

  /** Wakes the threads of the stacks that have got entries. Call after each burst. */
  public void wakeOthers() {
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

  /** Takes the entries that other stacks have handed over; returns how many. */
  public int receive(HandOverHandler handler, long now) {
    int taken = 0;
    for (HandOverQueue queue : queues) {
      if (queue != null) {
        taken += receive(queue, handler, now);
      }
    }
    return taken;
  }

  private int receive(HandOverQueue queue, HandOverHandler handler, long now) {
    int count = Math.min(queue.size(), BURST);
    for (int i = 0; i < count; i++) {
      queue.take(incoming);
      handler.process(incoming, now);
    }
    return count;
  }

  /**
   * Resets the member for a new stack after its stack has failed: releases its waiting packets,
   * ports and claims. Call on the thread of both stacks.
   *
   * @param pool of the packets
   */
  public void vacate(PacketPool pool) {
    close(pool);
    group.forget(index);
    told = 0;
  }

  /** Releases the packets that wait to be taken. */
  public void close(PacketPool pool) {
    for (HandOverQueue queue : queues) {
      while (queue != null && queue.size() > 0) {
        queue.take(incoming);
        if (incoming.hasPacket()) {
          pool.release(incoming.packet);
        }
      }
    }
  }

  /** Entries that other stacks have handed over and this one has not taken. */
  public int waiting() {
    int sum = 0;
    for (HandOverQueue queue : queues) {
      sum += queue == null ? 0 : queue.size();
    }
    return sum;
  }
}
