package org.rddp.client;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.StartupTerms;

/** The peer's program rejected the connection. */
public final class ConnectionRejectedException extends RddpException {
  private static final long serialVersionUID = 1L;

  private final transient PrivateData privateData;
  private final transient StartupTerms startup;

  ConnectionRejectedException(
      InetSocketAddress peer, PrivateData privateData, StartupTerms startup) {
    super(InetAddresses.text(peer) + " rejected the connection" + why(privateData, startup));
    this.privateData = privateData;
    this.startup = startup;
  }

  private static String why(PrivateData given, StartupTerms startup) {
    if (given.length() > 0) {
      return ": " + text(given);
    }
    // Where a listener requires peer-to-peer, its daemon rejects without asking its program.
    return startup.peerToPeer()
        ? " without a reason"
        : " without a reason; if its program sends first, connect with peer-to-peer"
            + " (StartupOptions.withPeerToPeer)";
  }

  /**
   * Text where all octets are printable ASCII, which is safe on a terminal; otherwise hexadecimal.
   */
  private static String text(PrivateData given) {
    byte[] octets = given.toByteArray();
    for (byte octet : octets) {
      if (octet < ' ' || octet > '~') {
        return "private data " + given;
      }
    }
    return "\"" + new String(octets, StandardCharsets.US_ASCII) + "\"";
  }

  /** The private data of the peer's rejection. */
  public PrivateData privateData() {
    return privateData == null ? PrivateData.NONE : privateData;
  }

  /**
   * The peer's IRD and ORD: its ORD may be more than this end's IRD if its program needs that many
   * (RFC 6581 section 9.1). Null in a copy that was deserialized.
   */
  public StartupTerms startup() {
    return startup;
  }
}
