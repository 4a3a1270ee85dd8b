package org.rddp.daemon.control;

import java.util.List;
import java.util.function.BiConsumer;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.JoinedMemory;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Pieces of a program's memories side by side, with all of their pages mapped, so that the engine's
 * accesses do not fault. Control thread only.
 */
final class JoinedMapping {
  /** Octets populated at a time, so that other memory does not wait. */
  private static final long STEP = 2L << 20;

  private final JoinedMemory memory;
  private final MappingThreads threads;

  private JoinedMapping(JoinedMemory memory, MappingThreads threads) {
    this.memory = memory;
    this.threads = threads;
    threads.add(this, memory::close);
  }

  /**
   * Maps pieces. Their memories must stay mapped until {@code outcome} is called.
   *
   * @param outcome called with the mapping or with the refusal; the other is null
   */
  static void join(
      List<JoinedMemory.Part> parts,
      MappingThreads threads,
      BiConsumer<JoinedMapping, RequestRefusedException> outcome) {
    threads.populate(() -> {
      try {
        JoinedMapping made = new JoinedMapping(JoinedMemory.join(parts), threads);
        made.populate(0, outcome);
      } catch (SystemCallException e) {
        refuse(e, threads, outcome);
      }
    });
  }

  /** Maps pieces at once, before another daemon's engines go on. */
  static JoinedMapping inherit(List<JoinedMemory.Part> parts, MappingThreads threads)
      throws RequestRefusedException {
    try {
      JoinedMemory joined = JoinedMemory.join(parts);
      joined.populate(0, joined.length());
      return new JoinedMapping(joined, threads);
    } catch (SystemCallException e) {
      throw refusal(e);
    }
  }

  private static void refuse(
      SystemCallException why,
      MappingThreads threads,
      BiConsumer<JoinedMapping, RequestRefusedException> outcome) {
    RequestRefusedException refusal = refusal(why);
    threads.control(() -> outcome.accept(null, refusal));
  }

  private static RequestRefusedException refusal(SystemCallException why) {
    return new RequestRefusedException(
        Reason.RESOURCES,
        "the pieces cannot be mapped side by side: "
            + why.getMessage()
            + "; the limits are vm.max_map_count and, where memory is locked, RLIMIT_MEMLOCK");
  }

  /** Populates a step, and leaves the next one to a later turn. Populating thread. */
  private void populate(long offset, BiConsumer<JoinedMapping, RequestRefusedException> outcome) {
    try {
      long octets = Math.min(STEP, memory.length() - offset);
      memory.populate(offset, octets);
      if (offset + octets < memory.length()) {
        threads.populate(() -> populate(offset + octets, outcome));
      } else {
        threads.control(() -> outcome.accept(this, null));
      }
    } catch (SystemCallException e) {
      threads.remove(this);
      memory.close();
      refuse(e, threads, outcome);
    }
  }

  /** Address of the first octet. */
  long address() {
    return memory.address();
  }

  /**
   * Unmaps it; no engine may use it.
   *
   * @param done called when it is unmapped
   */
  void release(Runnable done) {
    threads.remove(this);
    threads.unmap(
        memory.length(),
        () -> {
          memory.close();
          threads.control(done);
        });
  }
}
