package org.rddp.client.types;

import java.util.Objects;

/**
 * Options of MPA's startup (RFC 5044 section 7.1, RFC 6581), for a connection or for those of a
 * listener. The interface's configuration decides options that are not set.
 *
 * <p>IRD and ORD are negotiated where both ends speak revision 2: the connecting end's choice of
 * the revision decides. Otherwise {@code ird} applies as it is, and so does an {@code ord} that the
 * program has set, having agreed on it with the peer by other means. An ORD that is not set is then
 * the interface's {@code unnegotiated-ord}, 1 by default: every peer that serves Reads serves one
 * at a time, and ends the connection if it gets more than it serves.
 *
 * @param ird Reads of the peer that are served at a time, and as many atomics: 0 to 16382 and at
 *     most what the interface is configured for; or {@link #CONFIGURED}
 * @param ord Reads and atomics of this program that may be outstanding at a time, likewise. A
 *     rejection carries it to the peer if it is set here
 * @param revision MPA revision of the request, 1 or 2, or 0: as configured, but 2 where {@code
 *     peerToPeer} is YES. A listener answers each peer in its own
 * @param peerToPeer whether the accepting end may be the first to send (RFC 6581 section 9.2). YES
 *     for a connection: it fails if the peer cannot. YES for a listener: a peer that does not offer
 *     it is rejected; otherwise a listener does as each peer asks
 * @param revision1Retry whether a peer that closes upon a request of revision 2 is asked once more,
 *     with revision 1, over another TCP connection (RFC 6581 section 10). IRD and ORD are then not
 *     negotiated, and only this program may send first; {@link StartupTerms#revision} tells. If
 *     left to the configuration, a connection that wants peer-to-peer is not retried. Ignored for a
 *     listener
 */
public record StartupOptions(
    int ird, int ord, int revision, Choice peerToPeer, Choice revision1Retry) {
  /** A choice: no, yes, or the interface's configuration. */
  public enum Choice {
    /** As the interface is configured. */
    CONFIGURED,
    /** No. */
    NO,
    /** Yes. */
    YES
  }

  /** IRD or ORD as the interface is configured. */
  public static final int CONFIGURED = -1;

  /** The largest IRD and ORD. */
  public static final int DEEPEST = 16382;

  /** All options as the interface is configured. */
  public static final StartupOptions DEFAULTS =
      new StartupOptions(CONFIGURED, CONFIGURED, 0, Choice.CONFIGURED, Choice.CONFIGURED);

  /** Checks the ranges. */
  public StartupOptions {
    checkReads(ird, ord);
    Objects.requireNonNull(peerToPeer, "peerToPeer");
    Objects.requireNonNull(revision1Retry, "revision1Retry");
    if (revision < 0 || revision > 2) {
      throw new IllegalArgumentException(
          "MPA revision " + revision + ": it is 1 or 2, or 0 as configured");
    }
    if (revision == 1 && peerToPeer == Choice.YES) {
      throw new IllegalArgumentException("peer-to-peer needs MPA revision 2 (RFC 6581)");
    }
    if (revision1Retry == Choice.YES && peerToPeer == Choice.YES) {
      throw new IllegalArgumentException(
          "a second try with MPA revision 1 has no peer-to-peer: choose one of the two");
    }
  }

  /** Checks the ranges of IRD and ORD, each of which may also be {@link #CONFIGURED}. */
  public static void checkReads(int ird, int ord) {
    if (ird < CONFIGURED || ird > DEEPEST || ord < CONFIGURED || ord > DEEPEST) {
      throw new IllegalArgumentException(
          "IRD %d, ORD %d: each is 0 to %d, or %d as configured"
              .formatted(ird, ord, DEEPEST, CONFIGURED));
    }
  }

  /** Copies the options with or without a second try of revision 1. */
  public StartupOptions withRevision1Retry(boolean wanted) {
    return new StartupOptions(ird, ord, revision, peerToPeer, choice(wanted));
  }

  private static Choice choice(boolean wanted) {
    return wanted ? Choice.YES : Choice.NO;
  }

  /** Copies the options with another IRD and ORD. */
  public StartupOptions withReads(int in, int out) {
    return new StartupOptions(in, out, revision, peerToPeer, revision1Retry);
  }

  /** Copies the options with another MPA revision. */
  public StartupOptions withRevision(int number) {
    return new StartupOptions(ird, ord, number, peerToPeer, revision1Retry);
  }

  /** Copies the options with or without peer-to-peer. */
  public StartupOptions withPeerToPeer(boolean wanted) {
    return new StartupOptions(ird, ord, revision, choice(wanted), revision1Retry);
  }
}
