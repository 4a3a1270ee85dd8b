package org.rddp.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;

/**
 * Memory for a peer's writes between two guards that it must not touch. It is poisoned first, and
 * then compared with the pattern, guards included.
 */
public final class GuardedSink implements AutoCloseable {
  /** Octets of each guard. */
  static final long GUARD = 4096;

  private static final byte POISON = (byte) 0xdb;
  private static final byte GUARD_OCTET = (byte) 0x5a;

  private final MemoryRegion all;
  private final MemoryRegion window;
  private final long octets;

  /**
   * Allocates memory; the guards are not advertised to the peer.
   *
   * @param more rights of the peer besides writing
   */
  public GuardedSink(Rddp session, long octets, Access... more) {
    this.octets = octets;
    all = session.allocate(octets + 2 * GUARD);
    List<Access> rights = new ArrayList<>(List.of(more));
    rights.addAll(List.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    window = all.register(GUARD, octets, rights.toArray(Access[]::new));
    all.segment().fill(GUARD_OCTET);
    poison();
  }

  /** Makes every octet wrong. */
  void poison() {
    window().fill(POISON);
  }

  private MemorySegment window() {
    return all.segment().asSlice(GUARD, octets);
  }

  /** The memory between the guards, which the peer may write. */
  public MemoryRegion region() {
    return window;
  }

  /**
   * Compares all octets.
   *
   * @return the first error found, or null
   */
  public String verify(TransferPattern pattern) {
    long wrong = pattern.mismatch(window(), 0);
    if (wrong >= 0) {
      return "octet " + wrong + " of " + octets + " is wrong";
    }
    for (long from : new long[] {0, GUARD + octets}) {
      for (long i = 0; i < GUARD; i++) {
        if (all.segment().get(ValueLayout.JAVA_BYTE, from + i) != GUARD_OCTET) {
          return "the guard octet " + (from + i - GUARD) + " was written";
        }
      }
    }
    return null;
  }

  /** Frees the memory. */
  @Override
  public void close() {
    window.close();
    all.close();
  }
}
