package org.rddp.simulation;

import java.util.SplittableRandom;
import org.rddp.device.NativePacketPool;

/**
 * Lets hosts go on in new engines at random turns, as when a daemon is replaced by another: each
 * engine is written to a snapshot, discarded, and made anew from it. In half of the cases its card
 * and packets are new, too, so that frames are lost.
 */
final class HandOvers {
  /** Arbitrary: seeds the generator that draws when hosts go on in new engines. */
  private static final long HAND_OVERS = 0x4861_6e64_4f76L;

  private static final int LOG_MOST_AHEAD = 21;

  private final SplittableRandom random;
  private final BufferCache buffers;
  private final double probability;
  private final boolean newCards;
  private final int mtu;
  private int count;

  /**
   * Creates the hand-overs of a run.
   *
   * @param seed of the run
   * @param newCards whether cards may be new; otherwise no packet is lost, and there are ten times
   *     as many hand-overs
   * @param mtu of the cards
   */
  HandOvers(long seed, boolean newCards, BufferCache buffers, int mtu) {
    random = new SplittableRandom(seed ^ HAND_OVERS);
    this.buffers = buffers;
    this.newCards = newCards;
    this.mtu = mtu;
    // Seldom where thousands of runs are made: a hand-over takes longer than many turns.
    probability = Math.pow(10, -random.nextDouble(0.5, 3) - (newCards ? 1 : 0));
  }

  /** Draws whether a run has any: a third of them have. */
  static boolean draw(long seed) {
    return new SplittableRandom(HAND_OVERS - seed).nextInt(3) == 0;
  }

  /** How many engines have gone on in others. */
  int count() {
    return count;
  }

  private static boolean losesPackets(SimulatedHost host) {
    return host.stacks().stream().anyMatch(stack -> stack.packetsWaiting() > 0);
  }

  /** Draws whether a host goes on in new engines, after a turn; returns whether it did. */
  boolean afterTurn(SimulatedHost host, StackUsers users) {
    if (random.nextDouble() >= probability
        || host.isOff()
        || !users.mayGoOn(host)
        || (!newCards && losesPackets(host))) {
      return false;
    }
    boolean anew = newCards && random.nextBoolean() && host.stacks().size() == 1;
    NativePacketPool old = host.pool();
    // As if the associations were written while the stacks still run, which may have more to send
    // than numbers are left to them.
    long ahead = newCards && host.isSecured() ? 1L << random.nextInt(LOG_MOST_AHEAD) : 0;
    host.handOver(
        ahead, anew ? buffers.pool(old.capacity(), mtu, old.longCapacity() > 0) : null, users);
    if (anew) {
      buffers.giveBack(old);
    }
    count++;
    return true;
  }
}
