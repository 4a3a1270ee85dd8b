package org.rddp.mpa;

import org.rddp.device.PacketPool;
import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * One end's Startup Phase: the frame that it sends and the frame that it waits for (RFC 5044
 * section 7.1).
 */
final class Startup {
  private final MpaSettings settings;
  private final Kind own;
  private final StartupReader reader;
  private byte[] outgoing = {};
  private int sent;
  private Negotiated negotiated;

  /**
   * The Startup Phase of an Initiator or a Responder.
   *
   * @param own the frame that this end sends
   */
  Startup(MpaSettings settings, Kind own) {
    this.settings = settings;
    this.own = own;
    this.reader = new StartupReader(own == Kind.REQUEST ? Kind.REPLY : Kind.REQUEST);
  }

  /** Refuses Private Data that no frame can carry. */
  static byte[] checked(byte[] privateData) {
    if (privateData.length > StartupFrame.MAX_PRIVATE_DATA) {
      throw new IllegalArgumentException(
          "Private Data of "
              + privateData.length
              + " octets, more than "
              + StartupFrame.MAX_PRIVATE_DATA);
    }
    return privateData;
  }

  /** Sets the frame to be sent; {@link #flush} sends it. */
  void prepare(boolean rejected, byte[] privateData) {
    outgoing =
        StartupFrame.of(
                own,
                settings.markers(),
                settings.crc(),
                rejected,
                StartupFrame.RFC5044,
                privateData)
            .encode();
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

  /** The peer's frame is complete: returns it, and settles what it settles. */
  StartupFrame conclude() {
    StartupFrame frame = reader.frame();
    negotiated = Negotiated.between(settings, frame);
    return frame;
  }

  /** What was settled; null before the peer's frame is complete. */
  Negotiated negotiated() {
    return negotiated;
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
