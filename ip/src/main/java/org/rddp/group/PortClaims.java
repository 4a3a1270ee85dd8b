package org.rddp.group;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Records which stack of a {@link StackGroup} has connections from an ephemeral port of ours to a
 * remote address and port. Thus no two stacks open the same connection, even if they predict the
 * receive queue wrongly. Any thread, without locks.
 *
 * <p>There is a row of all ephemeral ports for each of {@value #ROWS} hashes of a remote address
 * and port. If two remote ends share a row, a stack may be refused a port towards one of them
 * because another stack uses that port towards the other.
 */
final class PortClaims {
  /** The slot of a port that is not ephemeral, which no stack needs to claim. */
  static final int NONE = -1;

  private static final int PORTS = 65536 - StackMember.FIRST_EPHEMERAL_PORT;
  private static final int ROWS = 64;

  /** The low bits of a claim are the number of connections; the stack's index is above them. */
  private static final int COUNT_BITS = 11;

  private static final int MOST = (1 << COUNT_BITS) - 1;

  private static final VarHandle CLAIM = MethodHandles.arrayElementVarHandle(short[].class);

  /** By {@link #slot}: a stack and how many connections it has, or 0. */
  private final short[] claims = new short[ROWS * PORTS];

  /**
   * The place of a connection.
   *
   * @param remote hash of the remote address
   * @return {@link #NONE} if the local port is not an ephemeral one
   */
  static int slot(long remote, int remotePort, int localPort) {
    if (localPort < StackMember.FIRST_EPHEMERAL_PORT) {
      return NONE;
    }
    long mixed = (remote ^ (long) remotePort << 48) * 0x9e3779b97f4a7c15L;
    int row = (int) (mixed >>> 32) & (ROWS - 1);
    return row * PORTS + localPort - StackMember.FIRST_EPHEMERAL_PORT;
  }

  /**
   * Claims a slot for a connection of a stack.
   *
   * @return false if another stack has the place, or this one has too many connections there
   */
  boolean claim(int slot, int member) {
    while (true) {
      short before = (short) CLAIM.getVolatile(claims, slot);
      int count = before & MOST;
      if (count == MOST || (count > 0 && member(before) != member)) {
        return false;
      }
      if (CLAIM.compareAndSet(claims, slot, before, entry(member, count + 1))) {
        return true;
      }
    }
  }

  /** Undoes one {@link #claim}, after the connection has ended. */
  void release(int slot, int member) {
    short before = (short) CLAIM.getVolatile(claims, slot);
    if (ownerOf(before) != member) {
      throw new IllegalStateException("stack " + member + " has not claimed place " + slot);
    }
    // Only the stack that has claimed the slot changes it.
    int count = (before & MOST) - 1;
    CLAIM.setVolatile(claims, slot, count == 0 ? (short) 0 : entry(member, count));
  }

  /** The stack that has a place; -1 if none has. */
  int owner(int slot) {
    return ownerOf((short) CLAIM.getVolatile(claims, slot));
  }

  /** Ends all claims of a stack that has been closed. */
  void forget(int member) {
    for (int i = 0; i < claims.length; i++) {
      if (owner(i) == member) {
        CLAIM.setVolatile(claims, i, (short) 0);
      }
    }
  }

  private static int ownerOf(short entry) {
    return (entry & MOST) == 0 ? NONE : member(entry);
  }

  private static int member(short entry) {
    return (entry & 0xffff) >>> COUNT_BITS;
  }

  private static short entry(int member, int count) {
    return (short) (member << COUNT_BITS | count);
  }
}
