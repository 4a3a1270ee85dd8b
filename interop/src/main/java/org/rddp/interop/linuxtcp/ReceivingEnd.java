package org.rddp.interop.linuxtcp;

/** Receives every octet, and closes its half when the other side has closed. */
final class ReceivingEnd extends TransferEnd {
  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position != octets()) {
      throw new IllegalStateException("octet " + position + " came after " + octets());
    }
    count(address, length);
    stream().consumed(length);
  }

  @Override
  public void onSendable() {}

  @Override
  public void onPeerClosed() {
    stream().closeSend();
  }
}
