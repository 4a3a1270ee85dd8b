package org.rddp.capture;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Tells sent frames from received ones by the MAC address of their sender. */
public final class FrameDirection {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** Offset of the sender's address, which the Ethernet type and more follow. */
  private static final int SENDER = 6;

  private final long macAddress;

  /**
   * Creates the test of an interface.
   *
   * @param macAddress the interface's MAC address: 48 bits, the first octet highest
   */
  public FrameDirection(long macAddress) {
    this.macAddress = macAddress;
  }

  /** The direction of a frame; unknown if it is cut before the Ethernet type. */
  public PcapngWriter.Direction of(MemorySegment frame) {
    if (frame.byteSize() < SENDER + Long.BYTES) {
      return PcapngWriter.Direction.UNKNOWN;
    }
    return frame.get(LONG, SENDER) >>> 16 == macAddress
        ? PcapngWriter.Direction.SENT
        : PcapngWriter.Direction.RECEIVED;
  }
}
