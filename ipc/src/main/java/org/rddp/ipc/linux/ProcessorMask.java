package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/**
 * A set of processors in memory of its own, on which a thread may run (sched_setaffinity(2)).
 * Unlike {@link ThreadScheduling} it allocates nothing after it was made. For one thread at a time.
 */
public final class ProcessorMask {
  /** One bit for each of 8192 processors, the most that Linux supports. */
  private static final int WORDS = 8192 / Long.SIZE;

  /** Octets of the set. */
  static final long OCTETS = (long) WORDS * Long.BYTES;

  private static final MethodHandle GET = SystemCall.exact("sched_getaffinity", "i:ill");
  private static final MethodHandle SET = SystemCall.exact("sched_setaffinity", "i:ill");

  private final MemorySegment words = Arena.ofAuto().allocate(OCTETS, Long.BYTES);

  private ProcessorMask() {}

  /** A set without a processor. */
  public static ProcessorMask none() {
    return new ProcessorMask();
  }

  /**
   * A set of one processor.
   *
   * @param processor its number, 0 to 8191
   * @throws IllegalArgumentException if it is another number
   */
  public static ProcessorMask of(int processor) {
    if (processor < 0 || processor >= WORDS * Long.SIZE) {
      throw new IllegalArgumentException("no processor has the number " + processor);
    }
    ProcessorMask made = new ProcessorMask();
    made.words.setAtIndex(ValueLayout.JAVA_LONG, processor / Long.SIZE, 1L << processor);
    return made;
  }

  /** All processors that there may ever be. */
  public static ProcessorMask all() {
    ProcessorMask made = new ProcessorMask();
    made.words.fill((byte) -1);
    return made;
  }

  /** Becomes the set on which the calling thread may run. Returns whether the kernel tells it. */
  public boolean read() {
    try {
      return (int) GET.invokeExact(0, OCTETS, words.address()) >= 0;
    } catch (Throwable unexpected) {
      throw new AssertionError("sched_getaffinity", unexpected);
    }
  }

  /** Lets the calling thread run on these only. Returns whether the kernel allows it. */
  public boolean apply() {
    try {
      return (int) SET.invokeExact(0, OCTETS, words.address()) == 0;
    } catch (Throwable unexpected) {
      throw new AssertionError("sched_setaffinity", unexpected);
    }
  }

  /** Address of the set, as the kernel takes and gives it. */
  long address() {
    return words.address();
  }

  /** Those of the set, in ascending order. */
  int[] processors() {
    return BitSet.valueOf(words.toArray(ValueLayout.JAVA_LONG)).stream().toArray();
  }

  /** How many there are. */
  public int count() {
    int count = 0;
    for (int i = 0; i < WORDS; i++) {
      count += Long.bitCount(words.getAtIndex(ValueLayout.JAVA_LONG, i));
    }
    return count;
  }
}
