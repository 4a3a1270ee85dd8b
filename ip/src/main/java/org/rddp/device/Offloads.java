package org.rddp.device;

/**
 * The offloads of a {@link FrameDevice} for TCP over IPv4 and IPv6: bits of {@link
 * FrameDevice#offloads}, and its verdicts on received frames.
 */
public final class Offloads {
  /** No offloads. */
  public static final int NONE = 0;

  /**
   * Transmit: completes the TCP checksum of a frame that {@link FrameDevice#requestOffload} names.
   */
  public static final int CHECKSUM = 1;

  /** Transmit: also cuts a long TCP segment into several. */
  public static final int SEGMENTATION = 2;

  /** Receive: checks TCP checksums; see {@link FrameDevice#checksum}. */
  public static final int VERDICT = 4;

  /** Sent: where it cuts, it also writes the checksum of IPv4's header, which is to be 0. */
  public static final int IP_CHECKSUM = 16;

  /**
   * Sent: of a frame to be cut, the TCP checksum field holds the sum of the pseudo header with the
   * frame's length, as virtio has it; of other devices without.
   */
  public static final int SUM_WITH_LENGTH = 32;

  /**
   * Sent: cuts frames of several segments of one size, or passes them on to a peer that does, while
   * {@link FrameDevice#sendsLong()}. A device with {@link #SEGMENTATION} does so in any case.
   */
  public static final int TRAINS = 64;

  /**
   * Received: a frame that says neither that its TCP checksum is right nor that it is wrong, but
   * that its octets are intact, was passed on in memory. Cards say that of others, too.
   */
  public static final int INTACT = 128;

  /**
   * Sent: nobody cuts a frame of several segments, so it arrives as it is, or not at all, and its
   * flags are not repeated.
   */
  public static final int WHOLE = 256;

  /**
   * The fewest octets of payload into which a device is asked to cut: some cards take a smaller
   * size for malicious and stop their queue.
   */
  public static final int LEAST_SEGMENT = 256;

  /** No verdict on the TCP checksum of a received frame. */
  public static final int UNKNOWN = 0;

  /** The TCP checksum is right, or was omitted on a link without errors. */
  public static final int GOOD = 1;

  /** The TCP checksum is wrong. */
  public static final int BAD = 2;

  private Offloads() {}

  /** Whether a device with these offloads wants to know the size of a frame's segments. */
  public static boolean cutTrains(int offloads) {
    return (offloads & (SEGMENTATION | TRAINS)) != 0;
  }
}
