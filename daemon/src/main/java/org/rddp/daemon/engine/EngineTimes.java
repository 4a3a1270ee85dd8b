package org.rddp.daemon.engine;

import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;

/**
 * Times of an engine's turns and requests, by the clock of its turns. The engine's thread records;
 * any thread may read the histograms.
 */
public final class EngineTimes {
  private final TimeHistogram turns = new TimeHistogram();

  /** By opcode; null for unknown opcodes. */
  private final TimeHistogram[] requests = new TimeHistogram[Opcode.TAGGED_NOTICE + 1];

  private long now;
  private boolean worked;

  EngineTimes() {
    for (RequestForm form : RequestForm.all()) {
      requests[form.opcode()] = new TimeHistogram();
    }
  }

  /**
   * Begins a turn. Counts the time since the previous one if that had work; otherwise the thread
   * may have rested in between.
   *
   * @param time in ns
   */
  void beginTurn(long time) {
    if (worked) {
      worked = false;
      turns.record(time - now);
    }
    now = time;
  }

  /** Notes that the turn had work. */
  void worked() {
    worked = true;
  }

  /** When the turn began, in ns. */
  long now() {
    return now;
  }

  /** Counts a successful request that was taken at that time. */
  void completed(int opcode, long taken) {
    requests[opcode].record(now - taken);
  }

  /**
   * From the start of a turn that had work to the start of the engine's next turn. Where several
   * engines share a thread, this includes the turns of the others.
   */
  public TimeHistogram turns() {
    return turns;
  }

  /**
   * From the turn that took a request to the turn that completed it with success; 0 if that was the
   * same turn. Receives wait for the peer's message; writes and sends complete when they have been
   * sent; reads and atomics when their response has arrived.
   *
   * @param opcode one of {@link Opcode}
   */
  public TimeHistogram requests(int opcode) {
    if (RequestForm.of(opcode) == null) {
      throw new IllegalArgumentException("there is no opcode " + opcode);
    }
    return requests[opcode];
  }
}
