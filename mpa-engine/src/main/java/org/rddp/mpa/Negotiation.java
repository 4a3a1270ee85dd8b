package org.rddp.mpa;

import org.rddp.device.PacketPool;
import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * Builds the startup frame that this end sends, reads the peer's, and negotiates the connection's
 * parameters from both (RFC 5044 section 7.1.1, RFC 6581, draft-culley-iwarp-mpa-03).
 */
final class Negotiation {
  private static final byte[] NONE = {};

  private MpaSettings settings;
  private final boolean initiator;
  private boolean secured;

  /** Revision of an Initiator's Request: 1 if it uses no feature of RFC 6581. */
  private final int revision;

  private StartupFrameReader reader;
  private byte[] streamed = NONE;
  private StartupFrame peer;
  private byte[] outgoing = NONE;
  private int sent;
  private Negotiated settled;

  /** Creates the Initiator's or the Responder's side. */
  Negotiation(MpaSettings settings, boolean initiator) {
    this.settings = settings;
    this.initiator = initiator;
    this.revision = settings.enhances() ? StartupFrame.RFC6581 : StartupFrame.RFC5044;
    this.reader = reader(settings, initiator, revision);
  }

  private static StartupFrameReader reader(MpaSettings settings, boolean initiator, int revision) {
    if (settings.startKey()) {
      return settings.streamedPrivateData() ? new PrivateDataMessage() : new StartKey();
    }
    // MPA-7.1.1-17: "If the MPA receiver cannot interoperate with the received version, then it
    // MUST close the connection". Whether it can with RDMAC is a setting (MPAC-0-01, MPAC-1-03,
    // MPAC-1-04); without it (MPAC-1-02) the connection closes in these cells of figure 15:
    // MPAC-F15-02, MPAC-F15-03, MPAC-F15-04, MPAC-F15-05.
    int lowest = settings.permissive() ? StartupFrame.RDMAC : StartupFrame.RFC5044;
    return initiator
        ? new RequestReplyReader(Kind.REPLY, lowest, revision)
        : new RequestReplyReader(Kind.REQUEST, lowest, StartupFrame.RFC6581);
  }

  /**
   * Begins, before anything is sent or received.
   *
   * @param protectedByEsp {@link TcpStream#secured}
   */
  void begin(boolean protectedByEsp) {
    secured = protectedByEsp;
    settings = applicable(settings);
  }

  /** Settings without CRCs where the administrator lets ESP protect the data in their place. */
  private MpaSettings applicable(MpaSettings chosen) {
    // MPA-4.4-03, MPA-4.4-06
    return secured && !chosen.crcInEsp() ? chosen.withCrc(false) : chosen;
  }

  /** Sets the Request to be sent; {@link #flush} sends it. */
  void prepareRequest(byte[] privateData) {
    if (streaming()) {
      outgoing = PrivateDataMessage.encode(privateData); // D03-8.1.2-01
    } else if (settings.startKey()) {
      prepareStartKey();
    } else if (settings.enhances()) {
      // P2P-6-01: "this MUST be set to two or higher"; P2P-6-03: "Private Data MUST begin with
      // enhanced RDMA connection establishment data"
      set(revision, true, false, Enhancement.proposal(settings).prefix(privateData));
    } else {
      // MPA-7.1.2-02, MPAC-2.5-01, P2P-10-03; MPA-7.1.1-11: "This bit is set to zero"
      set(revision, false, false, privateData);
    }
  }

  /** Sets the Start Key to be sent next. */
  void prepareStartKey() {
    outgoing = StartKey.encode(settings.markers(), settings.crc());
    sent = 0;
  }

  /**
   * Whether the peer's Private Data message is expected or has been received, and its Start Key is
   * not yet expected.
   */
  boolean streaming() {
    return reader instanceof PrivateDataMessage;
  }

  /** Expects the peer's Start Key, after its Private Data message has been processed. */
  void awaitStartKey() {
    streamed = reader.frame().privateData();
    reader = new StartKey();
  }

  /** Sets the Reply to the received Request. */
  void prepareReply(boolean rejected, byte[] privateData) {
    if (streaming()) {
      outgoing = PrivateDataMessage.encode(privateData); // D03-8.1.2-01, D03-8.1.2-02
    } else if (settings.startKey()) {
      prepareStartKey();
    } else if (peer.enhanced()) {
      // P2P-6-07: "it MUST respond with an enhanced MPA message"
      Enhancement answer = peer.enhancement().answer(settings, rejected);
      set(peer.revision(), true, rejected, answer.prefix(privateData)); // P2P-6-07, P2P-9.1-12
    } else {
      // MPA-7.1.1-13: "acceptance '0', or rejection '1'"; MPA-7.1.2-06, MPA-7.1.2-10: "the MPA
      // Reply Frame MAY include ULP-supplied Private Data". In the revision of the Request:
      // MPAC-2.4-01; P2P-10-02: "it MUST respond with an unenhanced MPA message".
      set(peer.revision(), false, rejected, privateData);
    }
  }

  /**
   * Whether this end rejects by closing, since a Start Key has no other way (draft-03 section
   * 13.3).
   */
  boolean declinesByClosing() {
    return settings.startKey(); // D03-13.3-03
  }

  /** Whether rejecting sends no octets, since a Start Key can only accept. */
  boolean declinesInSilence() {
    return settings.startKey() && !streaming();
  }

  /**
   * Whether a Responder that closes thereby rejects: it has answered, and no octet of its Start Key
   * has arrived.
   */
  boolean declinedByClosing() {
    boolean declined = settings.streamedPrivateData() && !streaming() && reader.count() == 0;
    if (declined) {
      settled = Negotiated.withoutFrame(settings);
    }
    return declined;
  }

  /**
   * Sets a Reply with the revision that we support, for an Initiator of another revision (RFC 5044
   * appendix C.2.1).
   */
  void prepareRefusal() {
    set(StartupFrame.RFC5044, false, true, NONE); // MPAC-2.1-02
  }

  private void set(int revision, boolean enhanced, boolean rejected, byte[] privateData) {
    boolean rdmac = revision == StartupFrame.RDMAC;
    // MPA-4.3-02, MPAC-2.3-02, MPAC-2.4-01, MPAC-F16-01
    boolean markers = settings.markers() || rdmac;
    boolean crc = settings.crc() || rdmac; // MPAC-2.4-01
    Kind own = initiator ? Kind.REQUEST : Kind.REPLY;
    outgoing =
        // MPAC-3-01
        StartupFrame.of(own, markers, crc, rejected, enhanced, revision, privateData).encode();
  }

  /** The most octets of Private Data that the user may give. */
  int room() {
    if (settings.startKey()) {
      return settings.streamedPrivateData() ? StartupFrame.MAX_PRIVATE_DATA : 0;
    }
    boolean enhanced = initiator ? settings.enhances() : peer != null && peer.enhanced();
    return StartupFrame.MAX_PRIVATE_DATA - (enhanced ? Enhancement.OCTETS : 0);
  }

  /** Returns the Private Data; throws if the frame cannot carry it. */
  byte[] checked(byte[] privateData) {
    if (privateData.length > room()) { // MPA-7.1.1-23: "MUST be between 0 and 512 octets in length"
      String why = room() == 0 ? ": a Start Key alone carries none" : "";
      throw new IllegalArgumentException(
          "Private Data of " + privateData.length + " octets, more than " + room() + why);
    }
    return privateData;
  }

  /**
   * Sends the rest of the frame.
   *
   * @return false if packets ran out before its end
   */
  boolean flush(TcpStream stream) {
    PacketPool pool = stream.pool();
    while (sent < outgoing.length) {
      long packet = stream.allocate();
      if (packet == 0) {
        return false;
      }
      // MPAA-0-01; D03-5.1.1-02: "the method of segmentation expected by non-MPA applications"
      int part = Math.min(stream.emss(), outgoing.length - sent);
      long address = pool.address(packet);
      Memory.copy(outgoing, sent, address, part);
      pool.window(packet, address, part);
      stream.send(packet);
      sent += part;
    }
    return true;
  }

  /** Initiator: whether the Request is an enhanced one, and no octet of the Reply has come. */
  boolean unanswered() {
    return initiator && settings.enhances() && reader.count() == 0;
  }

  /** The reader of the peer's frame. */
  StartupFrameReader reader() {
    return reader;
  }

  /** Negotiates the parameters; the peer's frame must be complete. */
  void conclude() {
    peer = reader.frame();
    settled = Negotiated.between(settings, initiator, peer);
  }

  /** Settles the parameters of a connection that is its own peer. */
  void agreeWithItself() {
    settled = Negotiated.withItself(settings);
  }

  /** Responder: replaces IRD and ORD, before the Reply to a Request that has come. */
  void choose(MpaSettings chosen) {
    settings = applicable(chosen);
    conclude();
  }

  /** The settings, with later choices of the Responder's user. */
  MpaSettings settings() {
    return settings;
  }

  /** Why a complete Reply is invalid, with the field's name, or null. */
  String fault() {
    boolean plain = peer.revision() == StartupFrame.RFC6581 && !peer.enhanced(); // P2P-6-07
    return initiator && plain && !peer.rejected()
        ? "S is 0, though the MPA Request had set it (RFC 6581 section 6)"
        : null;
  }

  /**
   * The part of a Reply that an Initiator cannot meet and must report to the Responder (RFC 6581
   * section 8): {@link MpaError#INSUFFICIENT_IRD}, {@link MpaError#NO_MATCHING_RTR}, or null.
   */
  MpaError mismatch() {
    if (!initiator || !settings.enhances()) {
      return null;
    }
    int ord = settled.depths().peerOrd();
    // P2P-9.1-04: "does not have sufficient resources for the required IRD"
    if (ord != Depths.ELSEWHERE && ord > settings.ird()) {
      return MpaError.INSUFFICIENT_IRD;
    }
    // P2P-9.2-06: "not able to generate any of the responder-supported RTR indications"
    return settings.peerToPeer() && settled.rtr().isEmpty() ? MpaError.NO_MATCHING_RTR : null;
  }

  /** Describes the mismatch, for people to read. */
  String mismatchDetail() {
    if (!peer.enhanced()) {
      return "Rev is " + peer.revision() + ", which has no RTR as the MPA Request asked for";
    }
    Enhancement theirs = peer.enhancement();
    if (mismatch() == MpaError.INSUFFICIENT_IRD) {
      return "ORD is " + theirs.ord() + ", more than our IRD of " + settings.ird();
    }
    return theirs.peerToPeer()
        ? "RTR is " + theirs.rtr() + ", none of " + Enhancement.proposal(settings).rtr()
        : "A is 0, though the MPA Request had set it for an RTR";
  }

  /** The peer's frame, once complete. */
  StartupFrame peer() {
    return peer;
  }

  /** The negotiated parameters; null before the peer's frame is complete. */
  Negotiated settled() {
    return settled;
  }

  /** The peer's Private Data: in its frame, or sent before its Start Key. */
  byte[] privateData() {
    return settings.startKey() ? streamed : peer.privateData();
  }

  /** The name of the peer's frame in messages. */
  String expectedTitle() {
    return reader.title();
  }

  /** Transfers its state, but for the settings. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Negotiation.class);
    secured = snapshot.flag("secured", secured);
    boolean key = snapshot.flag("reader", reader instanceof StartKey);
    if (key != reader instanceof StartKey) {
      reader = new StartKey();
    }
    reader.transfer(snapshot);
    streamed = snapshot.octets("streamed", streamed);
    peer = snapshot.flag("peer", peer != null) ? reader.frame() : null;
    outgoing = snapshot.octets("outgoing", outgoing);
    sent = snapshot.number("sent", sent, 0, outgoing.length);
    settled = snapshot.record("settled", Negotiated.class, settled);
    snapshot.end();
  }
}
