package org.rddp.simulation.rdma;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Rtr;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.RandomSettings;

/**
 * How a connection is to start up, and how large its streams are.
 *
 * @param initiator what the end wants that opens it
 * @param responder what the other end wants
 * @param rejects whether the Responder's program declines
 * @param decisionTime how long that takes to answer, in nanoseconds
 */
public record RdmapTerms(
    RdmapSettings initiator, RdmapSettings responder, boolean rejects, long decisionTime) {
  private static final long MILLISECOND = 1_000_000;
  private static final long STARTUP = 600_000_000_000L;

  /**
   * Draws one.
   *
   * @param window receive buffers of the two ends' TCP, in octets
   */
  public static RdmapTerms draw(
      SplittableRandom random, RandomSettings lots, int window, int otherWindow) {
    boolean startKey = lots.oneIn(8);
    boolean noCrc = lots.oneIn(5);
    boolean enhanced = !startKey && random.nextBoolean();
    MpaSettings one =
        wishes(random, lots, startKey, noCrc)
            .withRevision(enhanced ? 2 : 1)
            .withPeerToPeer(enhanced && random.nextBoolean())
            .withRtr(kinds(random));
    MpaSettings other =
        wishes(random, lots, startKey, noCrc)
            .withRevision(startKey || random.nextBoolean() ? 1 : 2)
            .withRtr(lots.oneIn(8) ? kinds(random) : Set.of(Rtr.values()));
    int[] reads = {reads(random), reads(random), reads(random), reads(random)};
    // Where both ends do not fit the numbers to each other's, their programs have.
    int ord = enhanced ? reads[2] : Math.min(reads[2], reads[1]);
    int otherOrd = enhanced ? reads[3] : Math.min(reads[3], reads[0]);
    return new RdmapTerms(
        size(random, one, reads[0], ord).withHeldOctets(held(random, lots, window)),
        size(random, other, reads[1], otherOrd).withHeldOctets(held(random, lots, otherWindow)),
        !startKey && lots.oneIn(40),
        lots.oneIn(2) ? 0 : random.nextLong(200 * MILLISECOND));
  }

  private static MpaSettings wishes(
      SplittableRandom random, RandomSettings lots, boolean startKey, boolean noCrc) {
    return MpaSettings.DEFAULTS
        .withCrc(!noCrc)
        .withMarkers(random.nextBoolean())
        .withSilentDrop(lots.oneIn(4))
        .withPacking(lots.oneIn(3))
        .withPermissive(random.nextBoolean())
        .withStartKey(startKey)
        .withStartupTimeoutNanos(STARTUP);
  }

  private static Set<Rtr> kinds(SplittableRandom random) {
    List<Rtr> all = List.of(Rtr.values());
    Set<Rtr> kinds = EnumSet.of(all.get(random.nextInt(all.size())));
    Arrays.stream(Rtr.values()).filter(any -> random.nextBoolean()).forEach(kinds::add);
    return kinds;
  }

  private static int reads(SplittableRandom random) {
    return 1 + random.nextInt(1 << random.nextInt(6));
  }

  private static RdmapSettings size(SplittableRandom random, MpaSettings mpa, int ird, int ord) {
    int sends = 2 + random.nextInt(1 << random.nextInt(2, 8));
    int receives = 1 + random.nextInt(1 << random.nextInt(2, 7));
    return new RdmapSettings(mpa, sends, receives, ird, ord);
  }

  /** How much of messages is kept that find no receive: nothing, all that may come, or a little. */
  private static int held(SplittableRandom random, RandomSettings lots, int window) {
    return switch (random.nextInt(3)) {
      case 0 -> 0;
      case 1 -> lots.oneIn(8) ? 64 + random.nextInt(window) : window;
      default -> window + random.nextInt(1 << 16);
    };
  }

  /** What one of the ends wants. */
  public RdmapSettings of(boolean isInitiator) {
    return isInitiator ? initiator : responder;
  }

  /** Whether CRCs are to be in use. */
  public boolean crc() {
    return initiator.mpa().crc() || responder.mpa().crc();
  }

  /** Whether the two have no kind of RTR in common, though one is wanted. */
  public boolean withoutRtr() {
    return initiator.mpa().peerToPeer()
        && Collections.disjoint(initiator.mpa().rtr(), responder.mpa().rtr());
  }

  /** Whether an end may have to refuse messages that it has no receive for, and no more room. */
  boolean mayOverflow(boolean isInitiator, int window) {
    RdmapSettings own = of(isInitiator);
    // With Markers segments are taken before their turn, and the window opens for them.
    return own.heldOctets() < (own.mpa().markers() ? 2L * window : window);
  }
}
