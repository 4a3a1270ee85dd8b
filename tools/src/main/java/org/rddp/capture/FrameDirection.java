package org.rddp.capture;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Tells sent frames from received ones by the address of their sender. */
public final class FrameDirection {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final int TYPE = 12;
  private static final short VLAN = (short) 0x8100;
  private static final short IPV4 = 0x0800;
  private static final short ARP = 0x0806;
  private static final int TAG = 4;

  private final int address;

  /**
   * Creates the test of an interface.
   *
   * @param address the interface's IPv4 address
   */
  public FrameDirection(int address) {
    this.address = address;
  }

  /** The direction of a frame; unknown if it is neither IPv4 nor ARP, or cut before its sender. */
  public PcapngWriter.Direction of(MemorySegment frame) {
    int payload = TYPE + 2;
    if (frame.byteSize() >= payload + TAG && frame.get(SHORT, TYPE) == VLAN) {
      payload += TAG;
    }
    if (frame.byteSize() < payload) {
      return PcapngWriter.Direction.UNKNOWN;
    }
    int sender =
        switch (frame.get(SHORT, payload - 2)) {
          case IPV4 -> payload + 12;
          case ARP -> payload + 14;
          default -> -1;
        };
    if (sender < 0 || frame.byteSize() < sender + 4) {
      return PcapngWriter.Direction.UNKNOWN;
    }
    return frame.get(INT, sender) == address
        ? PcapngWriter.Direction.SENT
        : PcapngWriter.Direction.RECEIVED;
  }
}
