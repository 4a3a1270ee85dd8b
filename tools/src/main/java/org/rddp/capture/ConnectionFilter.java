package org.rddp.capture;

import java.net.InetSocketAddress;
import org.rddp.client.ConnectionAddresses;
import org.rddp.client.types.AddressText;

/** The expression, in the syntax of pcap-filter(7), that frames of one connection match. */
public final class ConnectionFilter {
  private ConnectionFilter() {}

  /** The frames of a connection in both directions, with and without a VLAN tag. */
  public static String of(ConnectionAddresses connection) {
    String both =
        "tcp and (%s and %s or %s and %s)"
            .formatted(
                end("src", connection.local()),
                end("dst", connection.remote()),
                end("src", connection.remote()),
                end("dst", connection.local()));
    // After "vlan", libpcap counts every offset from behind the tag.
    return "(" + both + ") or (vlan and " + both + ")";
  }

  private static String end(String side, InetSocketAddress address) {
    return "%s host %s and %s port %d"
        .formatted(side, AddressText.of(address.getAddress()), side, address.getPort());
  }
}
