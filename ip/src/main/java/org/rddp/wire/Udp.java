package org.rddp.wire;

/** The header of UDP (RFC 768), and what tells the datagrams of IKE (RFC 7296) from others. */
public final class Udp {
  private static final int SOURCE_PORT = 0;
  private static final int DESTINATION_PORT = 2;
  private static final int LENGTH = 4;

  /** Octets of the header. */
  public static final int HEADER = 8;

  /** Protocol number of UDP. */
  public static final int PROTOCOL = 17;

  /** The port of IKE. */
  public static final int PORT_IKE = 500;

  /** The port of IKE behind address translation; its messages begin with four zero octets there. */
  public static final int PORT_IKE_NAT = 4500;

  /** Octets of the header of an IKE message (RFC 7296 section 3.1). */
  private static final int IKE_HEADER = 28;

  private static final int MARKER = 4;

  private Udp() {}

  /** The sender's port. */
  public static int sourcePort(long header) {
    return Memory.getShort(header + SOURCE_PORT);
  }

  /** The receiver's port. */
  public static int destinationPort(long header) {
    return Memory.getShort(header + DESTINATION_PORT);
  }

  /**
   * Whether a datagram may hold a message of IKE: what comes to port 4500 may also be a packet of
   * ESP in UDP, or one octet that keeps a translation (RFC 3948 section 2).
   *
   * @param octets of header and payload
   * @param port the datagram's port at the host that has the message's reader or writer
   */
  public static boolean isIke(long header, int octets, int port) {
    if (octets < HEADER + IKE_HEADER || Memory.getShort(header + LENGTH) != octets) {
      return false;
    }
    return port == PORT_IKE
        || (port == PORT_IKE_NAT
            && octets >= HEADER + MARKER + IKE_HEADER
            && Memory.getInt(header + HEADER) == 0);
  }
}
