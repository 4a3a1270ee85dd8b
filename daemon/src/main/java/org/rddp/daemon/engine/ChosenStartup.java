package org.rddp.daemon.engine;

import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupOptions.Choice;
import org.rddp.client.types.StartupTerms;
import org.rddp.mpa.Depths;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Negotiated;
import org.rddp.rdmap.RdmapSettings;

/** A program's choices of MPA's startup, within those of the interface. */
final class ChosenStartup {
  private static final int RFC6581 = 2;

  private ChosenStartup() {}

  /** Refuses choices that the interface does not allow. */
  static void check(RdmapSettings configured, StartupOptions chosen)
      throws RequestRefusedException {
    if (chosen.ird() > configured.ird() || chosen.ord() > configured.ord()) { // RDMAP-8.1.1-11
      throw new RequestRefusedException(
          Reason.LIMIT,
          "IRD %d, ORD %d; the interface allows %d and %d (ird and ord of its configuration)"
              .formatted(chosen.ird(), chosen.ord(), configured.ird(), configured.ord()));
    }
    if (configured.mpa().startKey() && chosen.peerToPeer() == Choice.YES) {
      throw new RequestRefusedException(
          Reason.INVALID, "peer-to-peer does not go with the Start Key of this interface");
    }
  }

  /** The settings of a stream. */
  static RdmapSettings apply(RdmapSettings configured, StartupOptions chosen) {
    boolean ordChosen = chosen.ord() != StartupOptions.CONFIGURED;
    int ird = chosen.ird() == StartupOptions.CONFIGURED ? configured.ird() : chosen.ird();
    int ord = ordChosen ? chosen.ord() : configured.ord();
    MpaSettings mpa = configured.mpa();
    int revision = revision(mpa, chosen);
    MpaSettings applied =
        mpa.withRevision(revision)
            .withPeerToPeer(revision == RFC6581 && peerToPeer(mpa, chosen)) // P2P-5-03
            .withUnnegotiatedOrd(ordChosen ? MpaSettings.DEEPEST : mpa.unnegotiatedOrd())
            .withRequiredOrd(ordChosen ? ord : 0); // P2P-9.1-10
    return configured.withMpa(applied).withReads(ird, ord); // RDMAP-6.1-02
  }

  /**
   * The choices for a second try with revision 1 after the peer has closed upon revision 2 (RFC
   * 6581 section 10).
   *
   * @return null if neither program nor configuration wants one
   */
  static StartupOptions retry(RdmapSettings configured, StartupOptions chosen) {
    MpaSettings mpa = configured.mpa();
    boolean wanted =
        switch (chosen.revision1Retry()) {
          case YES -> true;
          case NO -> false;
          case CONFIGURED -> mpa.revision1Retry() && !peerToPeer(mpa, chosen);
        };
    return wanted
        // P2P-10-01
        ? chosen.withRevision1Retry(false).withPeerToPeer(false).withRevision(RFC6581 - 1)
        : null;
  }

  /** The choices where both ends may send first. */
  static StartupOptions bothFirst(StartupOptions chosen) {
    return chosen.withRevision1Retry(false).withRevision(RFC6581).withPeerToPeer(true);
  }

  private static int revision(MpaSettings configured, StartupOptions chosen) {
    if (chosen.revision() != 0) {
      return chosen.revision();
    }
    return chosen.peerToPeer() == Choice.YES ? RFC6581 : configured.revision();
  }

  private static boolean peerToPeer(MpaSettings configured, StartupOptions chosen) {
    return switch (chosen.peerToPeer()) {
      case YES -> true;
      case NO -> false;
      case CONFIGURED -> configured.peerToPeer();
    };
  }

  /**
   * Converts the results of both startup frames for the program.
   *
   * @param sendWithImmediate whether both ends want Sends with immediate data
   */
  static StartupTerms terms(Negotiated settled, boolean sendWithImmediate) {
    Depths depths = settled.depths();
    return new StartupTerms(
        settled.revision(), // MPA-7.1.1-18
        !settled.rtr().isEmpty(),
        // P2P-9.1-08: "MUST pass the peer's provided IRD and ORD values to the ULP"
        depths.peerIrd(),
        depths.peerOrd(),
        depths.ird(),
        depths.ord(),
        sendWithImmediate);
  }
}
