package org.rddp.mpa;

import org.rddp.device.PacketPool;
import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * The startup frame that one end sends, the one that it waits for, and what the two settle (RFC
 * 5044 section 7.1.1, RFC 6581).
 */
final class Negotiation {
  private static final byte[] NONE = {};

  private final MpaSettings settings;
  private final Kind own;
  private final StartupReader reader;
  private StartupFrame peer;
  private byte[] outgoing = NONE;
  private int sent;
  private Negotiated settled;

  /**
   * An Initiator's or a Responder's side.
   *
   * @param own the frame that this end sends
   */
  Negotiation(MpaSettings settings, Kind own) {
    this.settings = settings;
    this.own = own;
    int lowest = settings.permissive() ? StartupFrame.RDMAC : StartupFrame.RFC5044;
    this.reader =
        own == Kind.REQUEST
            ? new StartupReader(Kind.REPLY, lowest, settings.revision())
            : new StartupReader(Kind.REQUEST, lowest, StartupFrame.RFC6581);
  }

  /** Sets the Request to be sent; {@link #flush} sends it. */
  void prepareRequest(byte[] privateData) {
    if (settings.revision() == StartupFrame.RFC6581) {
      Enhancement wish = new Enhancement(false, 0, settings.ird(), settings.ord());
      set(settings.revision(), true, false, wish.prefix(privateData));
    } else {
      set(settings.revision(), false, false, privateData);
    }
  }

  /** Sets the Reply to the Request that has come. */
  void prepareReply(boolean rejected, byte[] privateData) {
    if (peer.enhanced()) {
      Enhancement answer = peer.enhancement().answer(settings.ird(), settings.ord());
      set(peer.revision(), true, rejected, answer.prefix(privateData));
    } else {
      set(peer.revision(), false, rejected, privateData);
    }
  }

  /** Sets a Reply that tells an incompatible Initiator what we speak (RFC 5044 appendix C.2.1). */
  void prepareRefusal() {
    set(StartupFrame.RFC5044, false, true, NONE);
  }

  private void set(int revision, boolean enhanced, boolean rejected, byte[] privateData) {
    boolean rdmac = revision == StartupFrame.RDMAC;
    boolean markers = settings.markers() || rdmac;
    boolean crc = settings.crc() || rdmac;
    outgoing =
        StartupFrame.of(own, markers, crc, rejected, enhanced, revision, privateData).encode();
  }

  /** The most octets of Private Data that the user may give. */
  int room() {
    boolean enhanced =
        own == Kind.REQUEST
            ? settings.revision() == StartupFrame.RFC6581
            : peer != null && peer.enhanced();
    return StartupFrame.MAX_PRIVATE_DATA - (enhanced ? Enhancement.OCTETS : 0);
  }

  /** Refuses Private Data that the frame cannot carry. */
  byte[] checked(byte[] privateData) {
    if (privateData.length > room()) {
      throw new IllegalArgumentException(
          "Private Data of " + privateData.length + " octets, more than " + room());
    }
    return privateData;
  }

  /**
   * Sends what has not been sent of the frame.
   *
   * @return false when there was no packet for all of it
   */
  boolean flush(TcpStream stream) {
    PacketPool pool = stream.pool();
    while (sent < outgoing.length) {
      long packet = stream.allocate();
      if (packet == 0) {
        return false;
      }
      int part = Math.min(stream.emss(), outgoing.length - sent);
      long address = pool.address(packet);
      Memory.copy(outgoing, sent, address, part);
      pool.window(packet, address, part);
      stream.send(packet);
      sent += part;
    }
    return true;
  }

  /** What has come of the peer's frame. */
  StartupReader reader() {
    return reader;
  }

  /** The peer's frame is complete: settles what it settles. */
  void conclude() {
    peer = reader.frame();
    settled = Negotiated.between(settings, peer);
  }

  /** What is wrong with what a complete frame asks for, with the field's name, or null. */
  String fault() {
    if (!peer.enhanced() || peer.rejected()) {
      return null;
    }
    Enhancement theirs = peer.enhancement();
    if (own == Kind.REPLY && theirs.rtrUnknown()) {
      return "RTR: of its kinds only the zero-length RDMA Write is taken, and it is not offered";
    }
    if (own == Kind.REQUEST
        && theirs.ord() != Enhancement.ELSEWHERE
        && theirs.ord() > settings.ird()) {
      return "ORD is " + theirs.ord() + ", more than our IRD of " + settings.ird();
    }
    return null;
  }

  /** The peer's frame, once complete. */
  StartupFrame peer() {
    return peer;
  }

  /** What was settled; null before the peer's frame is complete. */
  Negotiated settled() {
    return settled;
  }

  /** The peer's frame as messages call it. */
  String expectedTitle() {
    return own == Kind.REQUEST ? Kind.REPLY.title() : Kind.REQUEST.title();
  }

  /** How long to wait for it. */
  long timeoutNanos() {
    return settings.startupTimeoutNanos();
  }
}
