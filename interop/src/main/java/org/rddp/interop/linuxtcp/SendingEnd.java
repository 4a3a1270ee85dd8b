package org.rddp.interop.linuxtcp;

import java.util.SplittableRandom;
import org.rddp.device.PacketPool;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/** Sends octets generated from a seed, in full segments, and closes its half. */
final class SendingEnd extends TransferEnd {
  private final SplittableRandom source;
  private long left;
  private boolean ended;

  /**
   * An end that has sent nothing.
   *
   * @param length octets in all
   */
  SendingEnd(long length, long seed) {
    left = length;
    source = new SplittableRandom(seed);
  }

  @Override
  public void onOpen(TcpStream opened) {
    super.onOpen(opened);
    sendAll();
  }

  @Override
  public void onSendable() {
    sendAll();
  }

  private void sendAll() {
    while (left > 0 && stream().sendable()) {
      long packet = stream().allocate();
      if (packet == 0) {
        return;
      }
      left -= fill(packet);
      stream().send(packet);
    }
    if (left == 0 && !ended) {
      ended = true;
      stream().closeSend();
    }
  }

  private int fill(long packet) {
    PacketPool pool = stream().pool();
    long address = pool.address(packet);
    int length = (int) Math.min(left, stream().emss());
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      Memory.putLong(address + at, source.nextLong());
    }
    for (; at < length; at++) {
      Memory.putByte(address + at, source.nextInt());
    }
    pool.window(packet, address, length);
    count(address, length);
    return length;
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    throw new IllegalStateException("the receiver sent something");
  }

  @Override
  public void onPeerClosed() {}
}
