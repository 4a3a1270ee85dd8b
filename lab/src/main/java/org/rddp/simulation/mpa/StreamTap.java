package org.rddp.simulation.mpa;

import org.rddp.simulation.RelayedStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/**
 * Stands between TCP and MPA at one end of a connection: records what MPA sends, and compares what
 * arrives with what the other end has sent. Changes nothing.
 */
final class StreamTap extends RelayedStream {
  private final SentOctets out;
  private final SentOctets in;
  private long reserved;
  private boolean gaveUp;

  /**
   * A tap between TCP and MPA.
   *
   * @param above MPA
   * @param out where what it sends is kept
   * @param in what the other end has sent
   */
  StreamTap(StreamHandler above, SentOctets out, SentOctets in) {
    super(above);
    this.out = out;
    this.in = in;
  }

  /** Whether TCP was established. */
  boolean opened() {
    return below() != null;
  }

  /** Whether TCP has ended the connection because the peer did not answer. */
  boolean gaveUp() {
    return gaveUp;
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    in.came(position, address, length);
    super.onSegment(position, address, length, packet);
  }

  @Override
  public void send(long packet) {
    out.sent(pool().address(packet), pool().length(packet));
    super.send(packet);
  }

  @Override
  public long reserve(int octets, boolean packs, boolean leads) {
    reserved = super.reserve(octets, packs, leads);
    return reserved;
  }

  @Override
  public void commit(int octets, boolean more) {
    out.sent(reserved, octets);
    super.commit(octets, more);
  }

  @Override
  public void onClosed(CloseReason reason) {
    gaveUp = opened() && reason == CloseReason.TIMEOUT;
    super.onClosed(reason);
  }

  /** Whether it stands on a connection. */
  boolean isOn(TcpStream stream) {
    return stream.equals(below());
  }

  /** Goes on with another connection, which may not have been established yet. */
  void goOn(TcpStream stream, boolean established) {
    goOn(established ? stream : null);
  }
}
