package org.rddp.simulation.mpa;

import java.util.SplittableRandom;
import org.rddp.mpa.Depths;
import org.rddp.mpa.MpaSettings;
import org.rddp.simulation.RandomSettings;

/**
 * How a connection starts up.
 *
 * @param initiator settings of the Initiator
 * @param responder settings of the Responder
 * @param clientInitiates whether the end that opened TCP is the Initiator
 * @param requestOctets octets of Private Data in the Request
 * @param replyOctets octets of Private Data in the Reply
 * @param seed of the octets of Private Data
 * @param rejects whether the Responder's program rejects
 * @param decisionTime how long it takes to answer, in nanoseconds
 * @param hasty whether the startup timeout may expire
 */
record MpaTerms(
    MpaSettings initiator,
    MpaSettings responder,
    boolean clientInitiates,
    int requestOctets,
    int replyOctets,
    long seed,
    boolean rejects,
    long decisionTime,
    boolean hasty) {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final int ENHANCEMENT = 4;
  private static final int MOST_PRIVATE_DATA = 512;

  /** Draws one. */
  static MpaTerms draw(SplittableRandom random, RandomSettings choices) {
    boolean startKey = choices.oneIn(8);
    boolean hasty = choices.oneIn(24);
    boolean noCrc = choices.oneIn(4);
    MpaSettings initiator = wishes(random, choices, startKey, hasty, noCrc);
    MpaSettings responder = wishes(random, choices, startKey, hasty, noCrc);
    int room = MOST_PRIVATE_DATA - (initiator.revision() == 2 ? ENHANCEMENT : 0);
    return new MpaTerms(
        initiator,
        responder,
        random.nextBoolean(),
        data(random, startKey ? 0 : room),
        data(random, startKey ? 0 : room),
        random.nextLong(),
        !startKey && choices.oneIn(32),
        choices.oneIn(2) ? 0 : random.nextLong(200 * MILLISECOND),
        hasty);
  }

  private static MpaSettings wishes(
      SplittableRandom random,
      RandomSettings choices,
      boolean startKey,
      boolean hasty,
      boolean noCrc) {
    return MpaSettings.DEFAULTS
        .withCrc(!noCrc && !choices.oneIn(3))
        .withMarkers(random.nextBoolean())
        .withEarly(!choices.oneIn(3))
        .withSilentDrop(choices.oneIn(4))
        .withPacking(choices.oneIn(3))
        .withRevision(startKey || random.nextBoolean() ? 1 : 2)
        .withPermissive(random.nextBoolean())
        .withStartKey(startKey)
        .withReads(random.nextInt(64), random.nextInt(64))
        .withStartupTimeoutNanos(
            hasty ? (long) choices.logUniform(MILLISECOND, SECOND) : 600 * SECOND);
  }

  private static int data(SplittableRandom random, int most) {
    return random.nextBoolean() ? 0 : random.nextInt(most + 1);
  }

  /** Private Data of the Request. */
  byte[] requestData() {
    return data(requestOctets, seed);
  }

  /** Private Data of the Reply. */
  byte[] replyData() {
    return data(replyOctets, ~seed);
  }

  private static byte[] data(int octets, long seed) {
    byte[] data = new byte[octets];
    new SplittableRandom(seed).nextBytes(data);
    return data;
  }

  /** The settings of an end. */
  MpaSettings of(boolean isInitiator) {
    return isInitiator ? initiator : responder;
  }

  /** Whether CRCs must be in use. */
  boolean crc() {
    return initiator.crc() || responder.crc();
  }

  /** The revision that both ends are to find in the other's startup frame. */
  int revision() {
    return initiator.startKey() ? 0 : initiator.revision();
  }

  /** IRD and ORD that an end is to find in the other's startup frame, and to use. */
  Depths depths(boolean isInitiator) {
    MpaSettings own = of(isInitiator);
    MpaSettings other = of(!isInitiator);
    if (revision() != 2) {
      return new Depths(Depths.UNKNOWN, Depths.UNKNOWN, own.ird(), own.ord());
    }
    int in = Math.min(own.ird(), other.ord());
    int out = Math.min(own.ord(), other.ird());
    return isInitiator
        ? new Depths(out, in, in, out)
        : new Depths(other.ird(), other.ord(), in, out);
  }
}
