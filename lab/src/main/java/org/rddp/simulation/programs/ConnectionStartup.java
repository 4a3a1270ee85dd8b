package org.rddp.simulation.programs;

import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupOptions.Choice;
import org.rddp.client.types.StartupTerms;
import org.rddp.rdmap.RdmapSettings;

/**
 * What two programs choose for the startup of their connection, and its expected outcome (RFC 6581
 * section 9).
 *
 * @param terms settings of both hosts
 * @param plain whether the connection speaks plain DDP, which has no RDMA Reads
 * @param client the choices of the program that connects
 * @param server the choices of the program that listens
 * @param wishes for Sends with immediate data: bit 0 of the client, bit 1 of the server
 */
record ConnectionStartup(
    RdmapTerms terms, boolean plain, StartupOptions client, StartupOptions server, int wishes) {
  private static final int BOTH = 3;

  private static final List<Choice> CHOICES = List.of(Choice.CONFIGURED, Choice.NO, Choice.YES);

  static ConnectionStartup draw(SplittableRandom random, RdmapTerms terms, boolean plain) {
    StartupOptions none = StartupOptions.DEFAULTS;
    if (plain) {
      return new ConnectionStartup(terms, true, none, none, 0);
    }
    boolean startKey = terms.initiator().mpa().startKey();
    int wishes = startKey ? 0 : random.nextInt(2) == 0 ? BOTH : random.nextInt(BOTH);
    int revision = startKey ? 0 : random.nextInt(3);
    Choice first = CHOICES.get(random.nextInt(startKey || revision == 1 ? 2 : 3));
    // A listener that requires an RTR of a peer that has none ends the connection.
    boolean requires = !startKey && random.nextInt(8) == 0;
    ConnectionStartup made =
        new ConnectionStartup(
            terms,
            false,
            new StartupOptions(none.ird(), none.ord(), revision, first, Choice.CONFIGURED),
            requires ? none.withPeerToPeer(true) : none,
            wishes);
    int clientIrd = depth(random, terms.initiator().ird());
    int serverIrd = depth(random, terms.responder().ird());
    boolean free = made.enhanced();
    int clientOrd = depth(random, ord(terms.initiator(), free, serverIrd, terms.responder()));
    int serverOrd = depth(random, ord(terms.responder(), free, clientIrd, terms.initiator()));
    return new ConnectionStartup(
        terms,
        false,
        made.client.withReads(clientIrd, clientOrd),
        made.server.withReads(serverIrd, serverOrd),
        wishes);
  }

  private static int depth(SplittableRandom random, int most) {
    return random.nextInt(3) == 0 ? StartupOptions.CONFIGURED : 1 + random.nextInt(most);
  }

  /** The largest ORD to choose: where it is not negotiated, no more than the other end serves. */
  private static int ord(RdmapSettings own, boolean free, int otherIrd, RdmapSettings other) {
    return free ? own.ord() : Math.min(own.ord(), ird(other, otherIrd));
  }

  private static int ird(RdmapSettings configured, int chosen) {
    return chosen == StartupOptions.CONFIGURED ? configured.ird() : chosen;
  }

  /** The choices of an end. */
  StartupOptions of(boolean initiator) {
    return initiator ? client : server;
  }

  /** Whether the startup frames negotiate. */
  private boolean enhanced() {
    int configured = terms.initiator().mpa().revision();
    int chosen = client.peerToPeer() == Choice.YES ? 2 : configured;
    return !plain
        && !terms.initiator().mpa().startKey()
        && (client.revision() == 0 ? chosen : client.revision()) == 2;
  }

  /** Whether the client offers an RTR. */
  boolean peerToPeer() {
    boolean configured = terms.initiator().mpa().peerToPeer();
    return enhanced()
        && (client.peerToPeer() == Choice.YES
            || (client.peerToPeer() == Choice.CONFIGURED && configured));
  }

  /** Whether the daemon of the listener rejects, since the client offers no RTR. */
  boolean lacksRequiredRtr() {
    return server.peerToPeer() == Choice.YES && !peerToPeer();
  }

  /** Whether an RTR is required and the ends have no kind of RTR in common. */
  boolean withoutRtr() {
    return peerToPeer()
        && Collections.disjoint(terms.initiator().mpa().rtr(), terms.responder().mpa().rtr());
  }

  /** Whether an end wants Sends with immediate data. */
  boolean wantsSendWithImmediate(boolean initiator) {
    return (wishes & (initiator ? 1 : 2)) != 0;
  }

  /** Whether both ends want Sends with immediate data. */
  boolean sendWithImmediate() {
    return wishes == BOTH;
  }

  /** What an end must be told. */
  StartupTerms expected(boolean initiator) {
    StartupTerms terms = depths(initiator);
    return new StartupTerms(
        terms.revision(),
        terms.peerToPeer(),
        terms.peerIrd(),
        terms.peerOrd(),
        terms.ird(),
        terms.ord(),
        sendWithImmediate());
  }

  private StartupTerms depths(boolean initiator) {
    int unknown = StartupTerms.UNKNOWN;
    if (plain) {
      return new StartupTerms(plainRevision(), false, unknown, unknown, 0, 0);
    }
    int ird = ird(initiator);
    int ord = ord(initiator);
    if (!enhanced()) {
      return new StartupTerms(
          plainRevision(), false, unknown, unknown, ird, unnegotiated(initiator));
    }
    int in = Math.min(ird, ord(!initiator));
    int out = Math.min(ord, ird(!initiator));
    return initiator
        ? new StartupTerms(2, peerToPeer(), out, in, in, out)
        : new StartupTerms(2, peerToPeer(), ird(true), ord(true), in, out);
  }

  /** The ORD that a client whose request was rejected must be told of. */
  int expectedOrdOfRejection() {
    int fitted = expected(true).peerOrd();
    boolean needed = enhanced() && server.ord() != StartupOptions.CONFIGURED;
    return needed ? Math.max(fitted, server.ord()) : fitted;
  }

  private int plainRevision() {
    return terms.initiator().mpa().startKey() ? 0 : 1;
  }

  private RdmapSettings configured(boolean initiator) {
    return initiator ? terms.initiator() : terms.responder();
  }

  private int ird(boolean initiator) {
    return ird(configured(initiator), of(initiator).ird());
  }

  private int ord(boolean initiator) {
    int chosen = of(initiator).ord();
    return chosen == StartupOptions.CONFIGURED ? configured(initiator).ord() : chosen;
  }

  private int unnegotiated(boolean initiator) {
    int chosen = of(initiator).ord();
    return chosen == StartupOptions.CONFIGURED ? 1 : chosen;
  }
}
