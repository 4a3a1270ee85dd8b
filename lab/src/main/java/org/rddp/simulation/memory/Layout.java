package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.simulation.RandomSettings;

/**
 * The parts of one end's memory. There are unused octets between the parts, before and behind them.
 *
 * @param slots for regions
 * @param inbox for receives
 * @param sink for answers to reads and atomics
 * @param outbox for messages to send
 * @param size octets of the memory
 */
public record Layout(List<Piece> slots, Piece inbox, Piece sink, Piece outbox, int size) {
  private static final int GUARD = 64;
  private static final int SLOTS = 5;
  private static final int HUGE = 3 << 19;

  /**
   * Draws one.
   *
   * @param huge whether there is room for messages of a MiB and more
   */
  public static Layout draw(SplittableRandom random, RandomSettings choices, boolean huge) {
    int at = GUARD;
    int largest = choices.oneIn(16) ? 1 << 16 : 1 << 13;
    List<Piece> slots = new ArrayList<>();
    for (int i = 0; i < SLOTS; i++) {
      int length = huge && i == 0 ? HUGE : (int) choices.logUniform(64, largest);
      slots.add(new Piece(at, length));
      at += length + 1 + random.nextInt(GUARD);
    }
    Piece inbox = new Piece(at, huge ? HUGE : 2 * largest);
    at += inbox.length() + 1 + random.nextInt(GUARD);
    Piece sink = new Piece(at, huge ? HUGE : 2 * largest);
    at += sink.length() + 1 + random.nextInt(GUARD);
    Piece outbox = new Piece(at, huge ? 2 * HUGE : 2 * largest);
    return new Layout(slots, inbox, sink, outbox, at + outbox.length() + GUARD);
  }

  /** The part that the requests of the memory's owner name. */
  public Piece own() {
    return new Piece(inbox.from(), outbox.from() + outbox.length() - inbox.from());
  }
}
