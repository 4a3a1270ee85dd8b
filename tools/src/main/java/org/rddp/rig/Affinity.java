package org.rddp.rig;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/** The CPUs that a thread may run on. */
public final class Affinity {
  /** One bit for each of 8192 CPUs, the most that Linux supports. */
  private static final int MASK_OCTETS = 1024;

  private static final SystemCall SCHED_GETAFFINITY = SystemCall.bind("sched_getaffinity", "i:ill");
  private static final SystemCall SCHED_SETAFFINITY = SystemCall.bind("sched_setaffinity", "i:ill");

  private Affinity() {}

  /**
   * The CPUs that the calling thread may run on, in ascending order; at least one.
   *
   * @throws SystemCallException if the kernel refuses
   */
  public static int[] allowed() throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(MASK_OCTETS, 8);
      SCHED_GETAFFINITY.call(0, MASK_OCTETS, mask.address());
      return BitSet.valueOf(mask.toArray(ValueLayout.JAVA_BYTE)).stream().toArray();
    }
  }

  /**
   * Restricts the calling thread to one CPU. Threads that it starts later inherit that.
   *
   * @param cpu its number, from {@link #allowed()}
   * @throws SystemCallException if there is no such CPU, or this process may not use it
   */
  public static void pin(int cpu) throws SystemCallException {
    if (cpu < 0 || cpu >= MASK_OCTETS * Byte.SIZE) {
      throw new IllegalArgumentException("no CPU has the number " + cpu);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(MASK_OCTETS, 8);
      mask.set(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE, (byte) (1 << cpu % Byte.SIZE));
      SCHED_SETAFFINITY.call(0, MASK_OCTETS, mask.address());
    }
  }
}
