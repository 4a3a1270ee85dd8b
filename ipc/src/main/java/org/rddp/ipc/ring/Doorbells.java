package org.rddp.ipc.ring;

import static org.rddp.ipc.ring.RingLayout.ALL;
import static org.rddp.ipc.ring.RingLayout.INT;
import static org.rddp.ipc.ring.RingLayout.LONG;

import java.lang.invoke.VarHandle;

/**
 * The bits by which a program tells one engine which of its octet streams have something new, a
 * section of the session's doorbells; or by which engines tell a program's waiter. Mapped by both
 * ends: one rings, and the other takes bits. A bit that is set for nothing is harmless. Allocates
 * nothing.
 */
public final class Doorbells {
  /** Octets of a section. */
  public static final int OCTETS = 4096;

  /** Octets behind all sections, for the programs' own lock. */
  public static final int LOCK_OCTETS = 4096;

  /** The most streams of a section. */
  public static final int STREAMS = 16_384;

  /** Words of the bits for each bit of the summary. */
  public static final int GROUP = STREAMS / Long.SIZE / Long.SIZE;

  private static final int SUMMARY = 0;
  private static final int SLEEPING = 64;
  private static final int PROCESSOR = 68;
  private static final int BITS = 128;
  private static final int PAGE = 4096;

  private final long address;

  /** Wraps the section at an address. */
  public Doorbells(long address) {
    this.address = address;
  }

  /** Octets of the memory of so many sections. */
  public static long octets(int sections) {
    return ((long) OCTETS * sections + LOCK_OCTETS + PAGE - 1) & -PAGE;
  }

  /**
   * Says that a stream has something new, after publishing it. Returns whether the thread that
   * takes bits sleeps, so that the caller has to wake it.
   */
  public boolean ring(int stream) {
    int word = stream / Long.SIZE;
    long at = address + BITS + (long) word * Long.BYTES;
    LONG.getAndBitwiseOr(ALL, at, 1L << stream);
    LONG.getAndBitwiseOr(ALL, address + SUMMARY, 1L << (word / GROUP));
    VarHandle.fullFence();
    return (int) INT.getOpaque(ALL, address + SLEEPING) != 0
        && (int) INT.getAndSet(ALL, address + SLEEPING, 0) != 0;
  }

  /** Whether there are groups to take. */
  public boolean isRung() {
    return (long) LONG.getOpaque(ALL, address + SUMMARY) != 0;
  }

  /** Takes the groups of words that have bits, as bits. */
  public long takeGroups() {
    return isRung() ? (long) LONG.getAndSet(ALL, address + SUMMARY, 0L) : 0;
  }

  /** Takes the bits of a word. */
  public long takeBits(int word) {
    long at = address + BITS + (long) word * Long.BYTES;
    return (long) LONG.getOpaque(ALL, at) == 0 ? 0 : (long) LONG.getAndSet(ALL, at, 0L);
  }

  /** Daemon: says on which processor, from 0 on, the engine's thread runs. */
  public void runsOn(int processor) {
    if ((int) INT.getOpaque(ALL, address + PROCESSOR) != processor + 1) {
      INT.setOpaque(ALL, address + PROCESSOR, processor + 1);
    }
  }

  /** Program: the processor that the engine's thread was seen on, from 0 on; -1 before that. */
  public int processor() {
    return (int) INT.getOpaque(ALL, address + PROCESSOR) - 1;
  }

  /** Asks to be woken; the caller makes a full fence and looks once more before it sleeps. */
  public void announceSleep() {
    INT.setOpaque(ALL, address + SLEEPING, 1);
  }

  /** Notes that the thread is awake. Returns whether the other end has woken it. */
  public boolean endSleep() {
    if ((int) INT.getOpaque(ALL, address + SLEEPING) == 0) {
      return true;
    }
    INT.setOpaque(ALL, address + SLEEPING, 0);
    return false;
  }
}
