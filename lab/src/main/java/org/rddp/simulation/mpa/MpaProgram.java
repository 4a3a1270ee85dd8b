package org.rddp.simulation.mpa;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.Violations;
import org.rddp.simulation.mpa.UlpduTraffic.AfterError;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;

/**
 * One end of an MPA connection: starts up as its terms say, sends ULPDUs of a pattern, and checks
 * every upcall of MPA, also that there are none after an error.
 */
final class MpaProgram implements StartupHandler, UlpduHandler {
  /** Time without a whole FPDU after which MPA may give up a connection. */
  private static final long PATIENCE = 60_000_000_000L;

  private final HostPair hosts;
  private final Violations violations;
  private final SplittableRandom random;
  private final SimulatedHost host;
  private final MpaTerms terms;
  private final boolean initiator;
  private final UlpduTraffic sending;
  private final HalfConnection out;
  private final HalfConnection in;
  private final long buffer;
  private MpaStartup startup;
  private final StreamTap tap;

  private MpaProgram peer;

  /** Null before Full Operation. */
  private MpaConnection mpa;

  /** Null at the end that accepts the TCP connection. */
  private TcpConnection connection;

  private boolean operating;
  private boolean rejected;
  private boolean closing;
  private boolean peerClosed;
  private boolean aborted;
  private boolean dead;
  private MpaError error;
  private CloseReason closed;
  private long sendAt;
  private long passedAt;
  private int passedByPeerBefore;

  MpaProgram(
      HostPair hosts,
      SimulatedHost host,
      MpaTerms terms,
      boolean initiator,
      UlpduTraffic sending,
      HalfConnection out,
      HalfConnection in,
      long buffer) {
    this.hosts = hosts;
    violations = hosts.violations();
    random = hosts.random().split();
    this.host = host;
    this.terms = terms;
    this.initiator = initiator;
    this.sending = sending;
    this.out = out;
    this.in = in;
    this.buffer = buffer;
    MpaSettings settings = terms.of(initiator);
    startup =
        initiator
            ? MpaStartup.initiator(settings, terms.requestData(), this, this)
            : MpaStartup.responder(settings, this, this);
    tap = new StreamTap(startup, out.octets(), in.octets());
  }

  /** Sets the other end. */
  void peer(MpaProgram other) {
    peer = other;
  }

  /** Sets the connection before it is established. */
  void uses(TcpConnection opening) {
    connection = opening;
  }

  /** The handler for TCP. */
  StreamHandler handler() {
    return tap;
  }

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    alive("a Request");
    check(!initiator, "the Initiator got a Request");
    check(
        in.octets().wrong() > 0 || Arrays.equals(privateData, terms.requestData()),
        "the Request's Private Data is not what was sent");
    if (terms.decisionTime() == 0) {
      decide(0);
    } else {
      hosts.network().events().schedule(now() + terms.decisionTime(), this::decide, 0);
    }
  }

  private void decide(long ignored) {
    if (dead || closed != null || aborted) {
      return;
    }
    byte[] data = Arrays.copyOf(terms.replyData(), least(terms.replyOctets()));
    if (terms.rejects()) {
      rejected = true;
      startup.reject(data);
      close();
    } else {
      startup.accept(data);
    }
    host.scheduleTurn();
  }

  /** A corrupted Request may have asked for a Reply with less room. */
  private int least(int octets) {
    return Math.min(octets, startup.maxPrivateData());
  }

  @Override
  public void onAgreed(Negotiated settled, byte[] privateData) {
    alive("Full Operation");
    check(!operating, "Full Operation began twice");
    operating = true;
    passedAt = now();
    if (!disturbed()) {
      checkTerms(settled, privateData);
    }
  }

  @Override
  public void onFullOperation(MpaConnection connection) {
    mpa = connection;
    send();
  }

  /** Whether a startup frame of either end was corrupted, so that the ends may disagree. */
  private boolean disturbed() {
    return in.wrongStartup() || out.wrongStartup();
  }

  private void checkTerms(Negotiated settled, byte[] privateData) {
    check(!terms.rejects(), "Full Operation although the Responder declined");
    check(settled.crc() == terms.crc(), "CRCs are not used as agreed");
    check(settled.revision() == terms.revision(), "revision " + settled.revision());
    int version = terms.initiator().startKey() ? 0 : 1;
    check(settled.version() == version, "version " + settled.version());
    check(settled.depths().equals(terms.depths(initiator)), "" + settled.depths());
    byte[] expected = initiator ? terms.replyData() : new byte[0];
    check(Arrays.equals(privateData, expected), "the Reply's Private Data is not what was sent");
  }

  @Override
  public void onRejected(byte[] privateData) {
    alive("a Reply that declines");
    rejected = true;
    check(terms.rejects() || disturbed(), "declined, but the Responder has accepted");
    check(
        disturbed() || Arrays.equals(privateData, terms.replyData()),
        "the Reply's Private Data is not what was sent");
    close();
  }

  private void send() {
    while (wantsToSend() && mpa.sendable()) {
      if (!out.ledger().begun()) {
        out.ledger().begin(out.octets().count());
      }
      int length = length();
      out.pattern().write(out.ledger().content(), buffer, length);
      int head = random.nextInt(length + 1);
      if (!mpa.send(buffer, head, buffer + head, length - head)) {
        return;
      }
      out.ledger().add(length);
      if (sending.think() > 0 && random.nextDouble() < sending.think()) {
        sendAt = now() + random.nextLong(sending.thinkTime());
        hosts.network().events().schedule(sendAt, this::resume, 0);
      }
    }
    if (operating && !closing && out.ledger().count() == sending.ulpdus()) {
      close();
    }
  }

  private boolean wantsToSend() {
    return operating
        && !dead
        && !closing
        && closed == null
        && out.ledger().count() < sending.ulpdus()
        && now() >= sendAt;
  }

  private int length() {
    int most = Math.min(sending.largest(), mpa.mulpdu());
    return sending.always() ? most : 1 + random.nextInt(most);
  }

  private void resume(long ignored) {
    if (!dead && closed == null) {
      send();
      host.scheduleTurn();
    }
  }

  private void close() {
    closing = true;
    if (mpa == null) {
      startup.closeSend();
    } else {
      mpa.closeSend();
    }
  }

  @Override
  public boolean onEarlyUlpdu(Ulpdu ulpdu) {
    check(ulpdu.early(), "a ULPDU in its turn is offered as an early one");
    if (sending.decline() > 0 && random.nextDouble() < sending.decline()) {
      return false;
    }
    onUlpdu(ulpdu);
    return true;
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    alive("a ULPDU");
    check(operating, "a ULPDU before Full Operation");
    check(!ulpdu.early() || terms.of(initiator).early(), "a ULPDU before its turn, unasked");
    in.passed(ulpdu, mpa.negotiated().crc());
    passedAt = now();
    if (in.passed() >= sending.abortAfter()) {
      abort();
    }
  }

  @Override
  public void onDelivered(long position) {
    alive("a delivery");
    in.delivered(position, mpa.negotiated().crc());
  }

  @Override
  public void onSendable() {
    send();
  }

  @Override
  public void onMulpdu(int mulpdu) {
    boolean varies = terms.of(initiator).packing() || mpa.negotiated().sendMarkers();
    check(varies || mulpdu == mpa.mulpdu(), "MULPDU " + mulpdu);
  }

  @Override
  public void onPeerClosed() {
    alive("the peer's end");
    check(!peerClosed, "the peer closed twice");
    peerClosed = true;
    if (operating) {
      in.ended(mpa.negotiated().crc());
      // A Responder that has not got an FPDU may never send one.
      giveUpSending();
    }
  }

  private void giveUpSending() {
    if (!initiator && in.delivered() == 0 && !closing) {
      close();
    }
  }

  @Override
  public void onError(MpaError number, String detail) {
    alive("another error");
    error = number;
    hosts.trace(host.address() + ": error " + number.code() + ", " + detail);
    boolean reason =
        switch (number) {
          case CRC -> in.octets().wrong() > 0 || disturbed();
          case MARKER -> in.octets().wrong() > 0 || disturbed();
          case STARTUP -> terms.hasty() || disturbed() || unheard();
          case CONNECTION_LOST -> lostForAReason();
          case LOCAL_CATASTROPHIC, INSUFFICIENT_IRD, NO_MATCHING_RTR -> disturbed();
        };
    check(reason, "error " + number.code() + " without a reason: " + detail);
    check(number != MpaError.CRC || mpa.negotiated().crc(), "a wrong CRC, but there are none");
    passedByPeerBefore = out.passed();
    switch (number) {
      case CRC, MARKER -> react();
      case CONNECTION_LOST -> giveUpSending();
      case INSUFFICIENT_IRD, NO_MATCHING_RTR -> close();
      case STARTUP, LOCAL_CATASTROPHIC -> {}
    }
  }

  /**
   * Whether the peer, which should send first, may know of no connection: it has answered with a
   * SYN cookie, and the acknowledgment was lost (RFC 4987 section 3.6).
   */
  boolean unheard() {
    boolean alone = tap.opened() && !peer.tap.opened() && !done();
    return alone
        && !initiator
        && peer.host.stacks().stream().anyMatch(each -> each.counters().synCookiesSent > 0);
  }

  private boolean lostForAReason() {
    boolean stuck = operating && now() - passedAt >= PATIENCE;
    return stuck || lost() || peer.lost() || in.doubtful() || disturbed();
  }

  private void react() {
    if (sending.afterError() == AfterError.ABORT) {
      abort();
    } else if (sending.afterError() == AfterError.CLOSE && !closing) {
      close();
    } else {
      giveUpSending();
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    check(closed == null, "closed twice");
    closed = reason;
  }

  private void alive(String what) {
    check(closed == null && error == null, what + " after the end or an error");
  }

  private long now() {
    return hosts.network().now();
  }

  /** Power has failed at its host: it does nothing more. */
  void die() {
    dead = true;
  }

  /** Resets the connection, or stops waiting for one. */
  void abort() {
    aborted = true;
    if (!tap.opened()) {
      giveUpOpening();
    } else {
      tap.abort();
    }
    host.scheduleTurn();
  }

  private void giveUpOpening() {
    if (connection == null) {
      closed = CloseReason.ABORTED;
    } else {
      connection.abort();
    }
  }

  /** Whether it has ended other than by closing. */
  boolean lost() {
    boolean failed = error == MpaError.STARTUP || error == MpaError.CONNECTION_LOST;
    // After a reject the peer has to close within the startup timeout.
    boolean hasty = terms.hasty() && rejected;
    return dead || aborted || failed || hasty || tap.gaveUp();
  }

  /** Whether it has ended. */
  boolean done() {
    return dead || closed != null;
  }

  /** Checks what must hold when both ends have ended. */
  void judge() {
    if (dead || lost() || peer.lost()) {
      return;
    }
    String name = initiator ? "the Initiator" : "the Responder";
    check(closed == CloseReason.NORMAL, name + "'s connection ended as " + closed);
    check(error != null || peerClosed, name + " was not told of the peer's end");
    boolean rejects = terms.rejects() || disturbed();
    check(rejects || operating, name + " never came to Full Operation");
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      violations.add((initiator ? "Initiator: " : "Responder: ") + what);
    }
  }

  /** A number that grows when the connection makes progress. */
  long progress() {
    return (long) in.octets().count() + in.passed() + (peerClosed ? 1 : 0) + (done() ? 1 : 0);
  }

  /** Its state, for the trace. */
  @Override
  public String toString() {
    return String.format(
        "%s: %d of %d ULPDUs sent, %d passed%s%s%s",
        initiator ? "Initiator" : "Responder",
        out.ledger().count(),
        sending.ulpdus(),
        in.passed(),
        closing ? ", closing" : "",
        peerClosed ? ", peer closed" : "",
        error == null ? "" : ", error " + error.code());
  }

  /** The error that was reported, or null. */
  MpaError error() {
    return error;
  }

  /** Whether it has reached Full Operation. */
  boolean operating() {
    return operating;
  }

  /** Whether the Responder has rejected. */
  boolean rejected() {
    return rejected;
  }

  /** Whether it has reset the connection. */
  boolean aborted() {
    return aborted;
  }

  /** ULPDUs that it sent, and the other end received, after its own receiving half had failed. */
  int passedAfterError() {
    boolean half = error == MpaError.CRC || error == MpaError.MARKER;
    return half ? out.passed() - passedByPeerBefore : 0;
  }

  /** Goes on with another connection, if the former one is its own. */
  void goesOn(TcpConnection former, TcpConnection next) {
    boolean opening = connection == former;
    if (opening) {
      connection = next;
    }
    if ((!opening && !tap.isOn(former)) || done()) {
      return;
    }
    SnapshotWriter writer = new SnapshotWriter();
    MpaStartup retired = MpaStartup.transfer(writer, startup, null, null, null, null);
    retired.retire();
    SnapshotReader reader = new SnapshotReader(writer.finish());
    tap.goOn(next, tap.opened());
    startup = MpaStartup.transfer(reader, null, tap, this, this, this);
    reader.finish();
    mpa = startup.connection();
    tap.handler(startup.handler());
    next.resume(tap);
  }
}
