package org.rddp.wire;

/**
 * The report of multicast addresses that a host listens to (RFC 3810 section 5.2), in the packet
 * that section 5 asks for: hop limit 1, with a router alert.
 */
public final class Mldv2 {
  private static final int RECORDS = 6;
  private static final int FIRST_RECORD = 8;
  private static final int RECORD = 20;
  private static final int RECORD_TYPE = 0;
  private static final int RECORD_ADDRESS = 4;

  /** Type of a record: everything sent to the address is wanted, as before. */
  public static final int IS_EXCLUDE = 2;

  /** Type of a record: everything sent to the address is wanted from now on. */
  public static final int TO_EXCLUDE = 4;

  /** The hop-by-hop options in front: a router alert of MLD and padding (RFC 2711). */
  private static final long ROUTER_ALERT = 0x3a_00_05_02_00_00_01_00L;

  /** Octets of {@link #putRouterAlert}. */
  public static final int ROUTER_ALERT_LENGTH = 8;

  private Mldv2() {}

  /** Writes the hop-by-hop options that precede a report. */
  public static void putRouterAlert(long at) {
    Memory.putLong(at, ROUTER_ALERT);
  }

  /** Octets of a report of so many addresses. */
  public static int length(int records) {
    return FIRST_RECORD + records * RECORD;
  }

  /** Writes a report whose records follow by {@link #putRecord}, without its checksum. */
  public static void write(long message, int records) {
    Icmpv6.write(message, Icmpv6.LISTENER_REPORT, 0, 0);
    Memory.putShort(message + RECORDS, records);
  }

  /** Records of a report. */
  public static int records(long message) {
    return Memory.getShort(message + RECORDS);
  }

  /** Writes a record without sources. */
  public static void putRecord(long message, int index, int type, long high, long low) {
    long record = message + FIRST_RECORD + (long) index * RECORD;
    Memory.putInt(record + RECORD_TYPE, type << 24);
    Memory.putLong(record + RECORD_ADDRESS, high);
    Memory.putLong(record + RECORD_ADDRESS + 8, low);
  }

  /** The type of a record. */
  public static int recordType(long message, int index) {
    return Memory.getByte(message + FIRST_RECORD + (long) index * RECORD + RECORD_TYPE);
  }

  /** The lower half of a record's address. */
  public static long recordLow(long message, int index) {
    return Memory.getLong(message + FIRST_RECORD + (long) index * RECORD + RECORD_ADDRESS + 8);
  }
}
