package org.rddp.capture;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Tells sent frames from received ones by the MAC address of their sender. */
public final class FrameDirection {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** Offset of the source address; the Ethernet type follows it. */
  private static final int SENDER = 6;

  private final long macAddress;

  /**
   * Creates a test for the frames of an interface.
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
