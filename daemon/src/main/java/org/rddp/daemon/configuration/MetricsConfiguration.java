package org.rddp.daemon.configuration;

import org.rddp.ip.Ipv4Address;

/**
 * Where the daemon serves metrics and its health over HTTP.
 *
 * @param enabled whether it does; otherwise address and port mean nothing
 * @param address the address to listen at; 0.0.0.0 for all IPv4 addresses of the machine
 * @param port the TCP port, 0 to 65535; 0 for any free one
 */
public record MetricsConfiguration(boolean enabled, Ipv4Address address, int port) {
  /** No metrics over HTTP. */
  public static final MetricsConfiguration OFF =
      new MetricsConfiguration(false, new Ipv4Address(0), 0);

  /** What {@link #parse} accepts, for messages. */
  private static final String FORM =
      "\"off\", a port such as \"9470\" (then only this machine can connect), or an IPv4 address"
          + " and a port such as \"10.0.0.5:9470\"";

  private static final Ipv4Address LOOPBACK = new Ipv4Address(0x7f000001);
  private static final int MAX_PORT = 65535;

  /** Reads the {@code [metrics]} of a configuration file. */
  static MetricsConfiguration read(TomlSection section) {
    MetricsConfiguration metrics = section.parsed("listen", FORM, OFF, MetricsConfiguration::parse);
    section.refuseUnknownKeys();
    return metrics;
  }

  /**
   * Reads {@code off}, a port, or an address and a port.
   *
   * @throws IllegalArgumentException if the text is none of them
   */
  private static MetricsConfiguration parse(String text) {
    if (text.equals("off")) {
      return OFF;
    }
    int colon = text.indexOf(':');
    Ipv4Address address =
        colon < 0 ? LOOPBACK : Ipv4Address.parse(text.substring(0, colon).strip());
    int port = Integer.parseInt(text.substring(colon + 1));
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException(text);
    }
    return new MetricsConfiguration(true, address, port);
  }
}
