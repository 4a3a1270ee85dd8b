package org.rddp.mpa;

import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.storage.EarlySegments;
import org.rddp.wire.Memory;

/**
 * A TCP connection that carries streaming data before MPA: the user exchanges plain octets, starts
 * MPA at a stream position that both ends agree on, and gets the plain stream back if MPA is
 * rejected (RFC 5044 sections 7.1, 7.1.3 and 7.1.5).
 *
 * <p>TCP calls it as the connection's {@link StreamHandler}. An {@link MpaConnection} that starts
 * with the connection does not need it. Engine thread only.
 */
public final class StreamingMode implements StreamHandler {
  private final StreamingHandler handler;
  private TcpStream stream;

  /** Segments received out of order, shared with MPA; null before TCP is established. */
  private EarlySegments earlySegments;

  private MpaConnection mpa;
  private boolean wantsToSend;

  /** Creates a connection in streaming mode. */
  public StreamingMode(StreamingHandler handler) {
    this.handler = handler;
  }

  /**
   * Enables MPA in both directions at once: everything sent so far is streaming data, and so is
   * everything received before the octets being passed now. An Initiator's Request is sent at once.
   * A last streaming message is to be sent before, with {@link #send}.
   *
   * @param connection an Initiator or a Responder that has not been used yet
   * @throws IllegalStateException before the connection is open, and if MPA was started before
   */
  public void start(MpaConnection connection) {
    if (mpa != null) {
      throw new IllegalStateException("started before");
    }
    mpa = connection;
    connection.open(opened(), earlySegments);
  }

  /**
   * Sends plain octets.
   *
   * @return how many octets were taken, counted from the first; if not all, {@link
   *     StreamingHandler#onSendable} follows
   * @throws IllegalStateException before the connection is open, and while MPA is in use
   */
  public int send(long address, int octets) {
    if (inMpa()) {
      throw new IllegalStateException("MPA is in use");
    }
    PacketPool pool = opened().pool();
    int sent = 0;
    while (sent < octets && stream.sendable()) {
      long packet = stream.allocate();
      if (packet == 0) {
        break;
      }
      int part = Math.min(octets - sent, stream.emss());
      Memory.copy(address + sent, pool.address(packet), part);
      pool.window(packet, pool.address(packet), part);
      stream.send(packet);
      sent += part;
    }
    wantsToSend = sent < octets;
    return sent;
  }

  /** Closes our half of the connection after everything sent. */
  public void closeSend() {
    opened().closeSend();
  }

  /** Ends the connection with a reset. */
  public void abort() {
    opened().abort();
  }

  private TcpStream opened() {
    if (stream == null) {
      throw new IllegalStateException("not open yet");
    }
    return stream;
  }

  private boolean inMpa() {
    return mpa != null && !mpa.declined();
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    earlySegments = new EarlySegments(opened.pool());
    handler.onOpen(this);
  }

  @Override
  public boolean accepts(long position, long address, int length) {
    return !inMpa() || mpa.accepts(position, address, length);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position <= stream.receivePosition()) {
      take(position, address, length, packet);
    } else if (inMpa()) {
      mpa.onSegment(position, address, length, packet);
    } else {
      earlySegments.hold(position, address, length, packet);
    }
  }

  @Override
  public void onLeftEdge(long edge) {
    earlySegments.handUp(edge, this);
    if (inMpa()) {
      mpa.onLeftEdge(edge);
    }
  }

  /** Takes octets received in order. */
  private void take(long position, long address, int length, long packet) {
    int plain = inMpa() ? 0 : plain(address, length);
    if (plain < length) {
      mpa.onSegment(position + plain, address + plain, length - plain, packet);
      resume(position + length, address + length);
    }
  }

  /** Passes streaming data to the user; returns how many octets preceded the start of MPA. */
  private int plain(long address, int length) {
    boolean mayStart = mpa == null;
    int taken = handler.onOctets(address, length);
    if (taken != length && (taken < 0 || taken > length || !mayStart || mpa == null)) {
      throw new IllegalStateException(taken + " of " + length + " octets, and MPA not started");
    }
    stream.consumed(taken);
    return taken;
  }

  /** Passes to the user the octets after a rejecting Reply in the segment that ends here. */
  private void resume(long position, long address) {
    int rest = mpa.declined() ? (int) (position - mpa.startupEnd()) : 0;
    if (rest > 0) {
      handler.onOctets(address - rest, rest);
    }
  }

  @Override
  public void onSendable() {
    if (mpa != null) {
      mpa.onSendable();
    }
    if (wantsToSend && !inMpa()) {
      wantsToSend = false;
      handler.onSendable();
    }
  }

  @Override
  public void onEmss(int emss) {
    if (mpa != null) {
      mpa.onEmss(emss);
    }
  }

  @Override
  public void onAlarm(long now) {
    if (mpa != null) {
      mpa.onAlarm(now);
    }
  }

  @Override
  public void onPeerClosed() {
    if (inMpa()) {
      mpa.onPeerClosed();
    } else {
      handler.onPeerClosed();
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    if (earlySegments != null) {
      earlySegments.clear();
    }
    if (mpa != null) {
      mpa.onClosed(reason);
    }
    handler.onClosed(reason);
  }
}
