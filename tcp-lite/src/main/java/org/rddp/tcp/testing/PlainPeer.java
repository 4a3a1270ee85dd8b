package org.rddp.tcp.testing;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * A peer on a link without loss that has TCP only: sends a test's octets, keeps what it receives,
 * and closes when the other end does.
 */
public class PlainPeer extends StreamHandlerAdapter {
  private final byte[] words;
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  private final List<CloseReason> ends = new ArrayList<>();
  private TcpStream stream;

  /** A peer that sends octets, given in hexadecimal, as soon as it is connected. */
  public PlainPeer(String words) {
    this.words = HexFormat.of().parseHex(words);
  }

  /** Sends octets in one segment. */
  protected final void send(byte[] octets) {
    long packet = stream.allocate();
    long address = stream.pool().address(packet);
    Memory.copy(octets, 0, address, octets.length);
    stream.pool().window(packet, address, octets.length);
    stream.send(packet);
  }

  /** Its connection; null before it is established. */
  protected final TcpStream stream() {
    return stream;
  }

  /** Everything received, in hexadecimal. */
  public final String heard() {
    return HexFormat.of().formatHex(heard.toByteArray());
  }

  /** How its connections have ended. */
  public final List<CloseReason> ends() {
    return ends;
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    if (words.length > 0) {
      send(words);
    }
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    heard.writeBytes(Memory.bytes(address, length));
    stream.consumed(length);
  }

  @Override
  public void onPeerClosed() {
    stream.closeSend();
  }

  @Override
  public void onClosed(CloseReason reason) {
    ends.add(reason);
  }
}
