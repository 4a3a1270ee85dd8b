package org.rddp.simulation.mpa;

import org.rddp.simulation.RelayedStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;

/**
 * Stands between TCP and MPA at one end of a connection: records what MPA sends, and compares what
 * arrives with what the other end has sent. Changes nothing.
 */
final class StreamTap extends RelayedStream {
  private final SentOctets out;
  private final SentOctets in;
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
  public void send(long packet, boolean more) {
    out.sent(pool().address(packet), pool().length(packet));
    super.send(packet, more);
  }

  @Override
  public void extend(int octets, boolean more) {
    long packet = openPacket();
    out.sent(pool().address(packet) + pool().length(packet), octets);
    super.extend(octets, more);
  }

  @Override
  public void beginTrain(long packet) {
    out.sent(pool().address(packet), pool().length(packet));
    super.beginTrain(packet);
  }

  @Override
  public void append(int octets, boolean more) {
    long packet = openTrain();
    out.sent(pool().address(packet) + pool().length(packet), octets);
    super.append(octets, more);
  }

  @Override
  public void onClosed(CloseReason reason) {
    gaveUp = opened() && reason == CloseReason.TIMEOUT;
    super.onClosed(reason);
  }
}
