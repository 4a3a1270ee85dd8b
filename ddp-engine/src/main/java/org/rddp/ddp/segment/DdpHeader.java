package org.rddp.ddp.segment;

import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

/**
 * The two DDP headers, written into memory and read from a ULPDU (RFC 5041 section 4). They are
 * written in words of eight octets because MPA reads them again at once, and the processor forwards
 * a store only to a load that lies within it.
 *
 * <pre>
 *   octet     0          1          2        6         10        14      18
 *   tagged    T L - DV | RsvdULP |  STag   |  TO (8 octets)    | payload
 *   untagged  T L - DV | RsvdULP (5 octets) |  QN     |  MSN   |  MO   | payload
 * </pre>
 */
public final class DdpHeader {
  /** Octets of the header of a tagged segment. */
  // DDP-4.2-01: "MUST be used in all DDP Segments that target Tagged Buffers"
  public static final int TAGGED_LENGTH = 14;

  /** Octets of the header of an untagged segment. */
  // DDP-4.3-01: "MUST be used in all DDP Segments that target Untagged Buffers"
  public static final int UNTAGGED_LENGTH = 18;

  private static final int CONTROL = 0;
  private static final int RSVD_ULP = 1;
  private static final int STAG = 2;
  private static final int TO = 6;
  private static final int RSVD_ULP_REST = 2;
  private static final int QN = 6;
  private static final int MSN = 10;
  private static final int MO = 14;

  private static final int T = 0x80;
  private static final int L = 0x40;
  private static final int DV = 0x03;

  private DdpHeader() {}

  /**
   * Writes the header of a tagged segment.
   *
   * @param at address for {@link #TAGGED_LENGTH} octets
   * @param version DV, 0 to 3
   * @param rsvdUlp the user's octet
   */
  public static void writeTagged(
      long at, int version, boolean last, int rsvdUlp, int stag, long to) {
    // DDP-4.1-01; DDP-4.1-06: "MUST be set to zero on transmit"
    long control = T | (last ? L : 0) | version;
    long begin = control << 56 | (rsvdUlp & 0xffL) << 48 | (stag & 0xffff_ffffL) << 16;
    Memory.putLong(at, begin | to >>> 48);
    Memory.putInt(at + Long.BYTES, (int) (to >>> 16));
    Memory.putShort(at + Long.BYTES + Integer.BYTES, (int) to);
  }

  /**
   * Writes the header of an untagged segment.
   *
   * @param at address for {@link #UNTAGGED_LENGTH} octets
   * @param version DV, 0 to 3
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   */
  public static void writeUntagged(
      long at, int version, boolean last, int rsvdUlp, int rsvdUlpRest, int qn, int msn, int mo) {
    long control = (last ? L : 0) | version; // DDP-4.1-01, DDP-4.1-06
    long begin = control << 56 | (rsvdUlp & 0xffL) << 48 | (rsvdUlpRest & 0xffff_ffffL) << 16;
    Memory.putLong(at, begin | qn >>> 16);
    Memory.putLong(at + Long.BYTES, (qn & 0xffffL) << 48 | (msn & 0xffff_ffffL) << 16 | mo >>> 16);
    Memory.putShort(at + 2 * Long.BYTES, mo);
  }

  /** Writes a DDP Control Field as received, reserved bits included. */
  static void writeControl(long at, int control) {
    Memory.putByte(at + CONTROL, control);
  }

  /** The DDP Control Field of a segment of at least one octet. */
  public static int control(Ulpdu segment) {
    return segment.getByte(CONTROL);
  }

  /** Whether a Control Field belongs to a tagged segment. */
  public static boolean tagged(int control) {
    return (control & T) != 0;
  }

  /** Whether a Control Field belongs to its message's last segment. */
  public static boolean last(int control) {
    return (control & L) != 0;
  }

  /** DV of a Control Field, 0 to 3. Reserved bits are ignored. */
  public static int version(int control) {
    return control & DV; // DDP-4.1-07: "not checked on receive"
  }

  /** The user's octet, the first of five in an untagged segment. */
  public static int rsvdUlp(Ulpdu segment) {
    return segment.getByte(RSVD_ULP);
  }

  /** Tagged: the Steering Tag. */
  public static int stag(Ulpdu segment) {
    return segment.getInt(STAG);
  }

  /** Tagged: the Tagged Offset of the payload, an unsigned 64-bit number. */
  public static long to(Ulpdu segment) {
    return segment.getLong(TO);
  }

  /** Untagged: the last four of the user's five octets. */
  public static int rsvdUlpRest(Ulpdu segment) {
    return segment.getInt(RSVD_ULP_REST);
  }

  /** Untagged: the Queue Number, unsigned. */
  public static int qn(Ulpdu segment) {
    return segment.getInt(QN);
  }

  /** Untagged: the Message Sequence Number, unsigned. */
  public static int msn(Ulpdu segment) {
    return segment.getInt(MSN);
  }

  /** Untagged: the Message Offset of the payload, unsigned. */
  public static int mo(Ulpdu segment) {
    return segment.getInt(MO);
  }
}
