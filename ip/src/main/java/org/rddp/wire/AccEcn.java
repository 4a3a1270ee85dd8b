package org.rddp.wire;

/**
 * The codes of accurate ECN in the flags AE, CWR and ECE (RFC 9768): a request or an answer in a
 * SYN, the counter ACE in other segments, and in the first one of a client the codepoint of the
 * SYN-ACK.
 */
public final class AccEcn {
  /** The three flags; all of them ask for accurate ECN in a SYN (section 3.1.1). */
  public static final int FLAGS = Tcp.AE | Tcp.CWR | Tcp.ECE;

  /** No codepoint: a value that is reserved, or not known. */
  public static final int UNKNOWN = -1;

  private static final int SHIFT = 6;
  private static final int LARGEST = 7;

  /** The values that stand for the codepoints 0 to 3 (tables 2 and 3). */
  private static final byte[] OF_CODEPOINT = {0b010, 0b011, 0b100, 0b110};

  private static final byte[] CODEPOINT = {
    UNKNOWN, UNKNOWN, Ipv4.NOT_ECT, Ipv4.ECT_1, Ipv4.ECT_0, UNKNOWN, Ipv4.CE, UNKNOWN
  };

  private AccEcn() {}

  /** The flags for the three lowest bits of a counter. */
  public static int flags(int counter) {
    return (counter & LARGEST) << SHIFT;
  }

  /** The counter ACE in the flags of a segment, 0 to 7. */
  public static int ace(int flags) {
    return (flags & FLAGS) >>> SHIFT;
  }

  /** ACE that stands for a codepoint in a handshake. */
  public static int ofCodepoint(int codepoint) {
    return OF_CODEPOINT[codepoint];
  }

  /** The codepoint that ACE stands for in a handshake, or {@link #UNKNOWN}. */
  public static int codepoint(int ace) {
    return CODEPOINT[ace];
  }

  /**
   * Whether something on the path has changed a codepoint in a way that marking does not (section
   * 3.2.2.3).
   *
   * @param sent what the packet was sent with; not {@link Ipv4#CE}
   * @param arrived what it arrived with, or {@link #UNKNOWN}
   */
  public static boolean mangled(int sent, int arrived) {
    return arrived != UNKNOWN && (sent == Ipv4.NOT_ECT) != (arrived == Ipv4.NOT_ECT);
  }
}
