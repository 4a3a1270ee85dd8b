package org.rddp.daemon.configuration;

import java.util.Map;

/**
 * The sizes in the memory that net_af_packet shares with the kernel: slots of {@code framesz}
 * octets, in blocks of {@code blocksz}.
 */
final class AfPacketFrames {
  /** DPDK's default {@code framesz}. */
  private static final int DEFAULT_SLOT = 2048;

  /** DPDK's default {@code blocksz}: a page. */
  private static final int PAGE = 4096;

  /** Octets of a slot that the kernel uses itself (TPACKET2_HDRLEN without the address). */
  private static final int OVERHEAD = 32;

  /** Slots have a multiple of this size, so that one, two or four of them fill whole pages. */
  private static final int STEP = 1024;

  private AfPacketFrames() {}

  /** The arguments, with a comma before each, for frames of a length; empty for the defaults. */
  static String arguments(int frame) {
    if (frame <= DEFAULT_SLOT - OVERHEAD) {
      return "";
    }
    int slot = (frame + OVERHEAD + STEP - 1) / STEP * STEP;
    return ",framesz=" + slot + ",blocksz=" + block(slot) + ",framecnt=512";
  }

  /** The smallest whole pages that hold a whole number of slots. */
  private static int block(int slot) {
    int block = slot;
    while (block % PAGE != 0) {
      block += slot;
    }
    return block;
  }

  /** The octets of a frame that a slot holds; the driver requires packet buffers of that size. */
  static int carried(Map<String, String> arguments) {
    return number(arguments, "framesz", DEFAULT_SLOT) - OVERHEAD;
  }

  /**
   * The problem with the sizes among a device's arguments, or null.
   *
   * @param frame octets of the longest frame
   */
  static String problem(Map<String, String> arguments, int frame) {
    int slot = number(arguments, "framesz", DEFAULT_SLOT);
    int block = number(arguments, "blocksz", PAGE);
    if (slot - OVERHEAD < frame) {
      return "carries frames of at most "
          + (slot - OVERHEAD)
          + " octets with framesz="
          + slot
          + ", and this MTU needs "
          + frame;
    }
    if (block < slot || block % slot != 0 || block % PAGE != 0) {
      return "has blocksz=" + block + ", which is not a multiple of framesz=" + slot + " and 4096";
    }
    return null;
  }

  private static int number(Map<String, String> arguments, String key, int fallback) {
    try {
      return Integer.parseUnsignedInt(arguments.getOrDefault(key, Integer.toString(fallback)));
    } catch (NumberFormatException e) {
      // DPDK refuses it.
      return fallback;
    }
  }
}
