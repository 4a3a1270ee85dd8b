package org.rddp.wire;

/** The Ethernet header with a VLAN tag (IEEE 802.1Q) behind its MAC addresses. */
public final class Vlan {
  private static final int CONTROL = 14;
  private static final int TAGGED_TYPE = 16;

  /** Octets of the tag. */
  public static final int TAG = 4;

  /** Octets of the header, tag included. */
  public static final int HEADER = Ethernet.HEADER + TAG;

  /** EtherType of a tagged frame. */
  public static final int TYPE_TAGGED = 0x8100;

  /** Identifier of a frame with a priority tag, which belongs to no VLAN. */
  public static final int NONE = 0;

  /** The largest identifier; the one above is reserved. */
  public static final int LARGEST = 4094;

  /** The highest priority. */
  public static final int HIGHEST_PRIORITY = 7;

  private static final int PRIORITY_SHIFT = 13;
  private static final int IDENTIFIER_MASK = 0xfff;

  private Vlan() {}

  /** Whether a frame of that many octets has a whole header with a tag. */
  public static boolean wellFormed(int length) {
    return length >= HEADER;
  }

  /** The VLAN that a tagged frame belongs to; {@link #NONE} for none. */
  public static int identifier(long frame) {
    return Memory.getShort(frame + CONTROL) & IDENTIFIER_MASK;
  }

  /** The EtherType behind the tag. */
  public static int type(long frame) {
    return Memory.getShort(frame + TAGGED_TYPE);
  }

  /**
   * Writes a header with a tag.
   *
   * @param identifier 1 to {@link #LARGEST}
   * @param priority 0 to {@link #HIGHEST_PRIORITY}
   */
  public static void write(
      long frame, long destination, long source, int identifier, int priority, int type) {
    Ethernet.write(frame, destination, source, TYPE_TAGGED);
    Memory.putInt(frame + CONTROL, (priority << PRIORITY_SHIFT | identifier) << 16 | type);
  }
}
