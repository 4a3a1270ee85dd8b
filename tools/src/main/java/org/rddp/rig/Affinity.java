package org.rddp.rig;

import java.io.IOException;
import java.util.BitSet;

/** The CPUs that a thread may run on. */
public final class Affinity {
  /** 8192 CPUs: the most that Linux can be built for. */
  private static final int MASK_OCTETS = 1024;

  private Affinity() {}

  /**
   * The CPUs that the calling thread may run on, in ascending order; at least one.
   *
   * @throws IOException the kernel's answer, if it refuses
   */
  public static int[] allowed() throws IOException {
    return BitSet.valueOf(LinuxCalls.affinity(MASK_OCTETS)).stream().toArray();
  }

  /**
   * Pins the calling thread to one CPU. Threads that it starts later inherit that.
   *
   * @param cpu its number, from {@link #allowed()}
   * @throws IOException when there is no such CPU, or this process may not use it
   */
  public static void pin(int cpu) throws IOException {
    if (cpu < 0 || cpu >= MASK_OCTETS * Byte.SIZE) {
      throw new IllegalArgumentException("no CPU has the number " + cpu);
    }
    byte[] mask = new byte[MASK_OCTETS];
    mask[cpu / Byte.SIZE] = (byte) (1 << cpu % Byte.SIZE);
    LinuxCalls.setAffinity(mask);
  }
}
