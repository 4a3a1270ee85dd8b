package org.rddp.cli;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.AddressText;
import org.rddp.ip.Ipv4Address;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The address at which a remote program listens: {@code 10.0.0.2:7471}, {@code [2001:db8::2]:7471},
 * {@code [fe80::2%eth0]:7471} with a zone (RFC 4007 section 11), or {@code HOST:7471} with a name.
 *
 * @param host its addresses, and its TCP port, 1 to 65535
 * @param zone name of the daemon's interface on whose link the address is; empty: none is given.
 *     Only a link-local IPv6 address has one
 */
record RemoteAddress(RemoteHost host, String zone) {
  private static final Pattern FORM =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)(%[^\\[\\]%]*)?]|([^\\[\\]:%]+)):(\\d{1,5})");

  /**
   * Not zones: an index, which the daemon's interfaces do not have; an engine, which is no link.
   */
  private static final Pattern NO_ZONE = Pattern.compile("\\d*|.*/.*");

  /** Never a host name: meant as an IPv4 address. */
  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+");

  private static final int LAST_PORT = 65535;

  /** Reads an address from the command line. */
  static final class Converter implements ITypeConverter<RemoteAddress> {
    @Override
    public RemoteAddress convert(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        throw complaint(text);
      }
      String address = matcher.group(1);
      int port = Integer.parseInt(matcher.group(4));
      String host = address == null ? matcher.group(3) : address;
      boolean numeric = address == null && NUMERIC.matcher(host).matches();
      if (port < 1 || port > LAST_PORT || (numeric && !isIpv4(host))) {
        throw complaint(text);
      }
      RemoteHost found;
      try {
        // Without the zone: the JDK would look for it among the kernel's interfaces.
        found = RemoteHost.resolve(host, port);
      } catch (UnknownHostException e) {
        if (numeric || address != null) {
          throw complaint(text);
        }
        throw new TypeConversionException("unknown host '" + host + "'");
      }
      String zone = matcher.group(2);
      return new RemoteAddress(found, zone == null ? "" : checkedZone(found, zone.substring(1)));
    }

    /** The JDK would take {@code 10.2} for 10.0.0.2. */
    private static boolean isIpv4(String host) {
      try {
        return Ipv4Address.parse(host) != null;
      } catch (IllegalArgumentException e) {
        return false;
      }
    }

    private static String checkedZone(RemoteHost host, String zone) {
      InetAddress address = host.addresses().getFirst().getAddress();
      if (!(address instanceof Inet6Address) || !address.isLinkLocalAddress()) {
        throw new TypeConversionException(
            "%s has the zone '%s', but only link-local addresses (fe80::/10) have zones"
                .formatted(AddressText.of(address), zone));
      }
      if (NO_ZONE.matcher(zone).matches()) {
        throw new TypeConversionException(
            "'%s' is not a zone: name one of the daemon's interfaces, such as [%s%%eth0]:%d"
                .formatted(zone, AddressText.of(address), host.addresses().getFirst().getPort()));
      }
      return zone;
    }

    private static TypeConversionException complaint(String text) {
      return new TypeConversionException(
          "'"
              + text
              + "' is not ADDRESS:PORT, such as 10.0.0.2:7471, [2001:db8::2]:7471,"
              + " [fe80::2%eth0]:7471 or host:7471");
    }
  }

  @Override
  public String toString() {
    return zone.isEmpty() ? host.toString() : host.toString().replace("]", "%" + zone + "]");
  }
}
