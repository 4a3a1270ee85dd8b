package org.rddp.simulation.programs;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Rtr;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.RandomSettings;

/**
 * How streams start up, and how large they are.
 *
 * @param initiator settings of the host that opens connections
 * @param responder settings of the other host
 */
record RdmapTerms(RdmapSettings initiator, RdmapSettings responder) {
  private static final long STARTUP = 600_000_000_000L;

  static RdmapTerms draw(SplittableRandom random, RandomSettings choices) {
    boolean startKey = choices.oneIn(8);
    boolean noCrc = choices.oneIn(5);
    boolean enhanced = !startKey && random.nextBoolean();
    MpaSettings one =
        wishes(random, choices, startKey, noCrc)
            .withRevision(enhanced ? 2 : 1)
            .withPeerToPeer(enhanced && random.nextBoolean())
            .withRtr(kinds(random));
    MpaSettings other =
        wishes(random, choices, startKey, noCrc)
            .withRevision(startKey || random.nextBoolean() ? 1 : 2)
            .withRtr(choices.oneIn(8) ? kinds(random) : Set.of(Rtr.values()));
    return new RdmapTerms(
        size(random, one, reads(random), reads(random)),
        size(random, other, reads(random), reads(random)));
  }

  private static MpaSettings wishes(
      SplittableRandom random, RandomSettings choices, boolean startKey, boolean noCrc) {
    return MpaSettings.DEFAULTS
        .withCrc(!noCrc)
        .withMarkers(random.nextBoolean())
        .withSilentDrop(choices.oneIn(4))
        .withPacking(choices.oneIn(3))
        .withPermissive(random.nextBoolean())
        .withStartKey(startKey)
        .withUnnegotiatedOrd(1)
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

  /** Whether CRCs must be in use. */
  boolean crc() {
    return initiator.mpa().crc() || responder.mpa().crc();
  }
}
