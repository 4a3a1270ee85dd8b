package org.rddp.cli;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rddp.client.RemoteHost;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The address at which a remote program listens: {@code 10.0.0.2:7471}, {@code [2001:db8::2]:7471},
 * or {@code HOST:7471} with a name.
 *
 * @param host its addresses, and its TCP port, 1 to 65535
 */
record RemoteAddress(RemoteHost host) {
  private static final Pattern FORM =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^\\[\\]:]+)):(\\d{1,5})");

  /** What cannot be a name: it is meant to be an IPv4 address. */
  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+");

  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final int LAST_PORT = 65535;

  /** Reads an address from the command line. */
  static final class Converter implements ITypeConverter<RemoteAddress> {
    @Override
    public RemoteAddress convert(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        throw complaint(text);
      }
      int port = Integer.parseInt(matcher.group(3));
      String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      boolean numeric = matcher.group(1) == null && NUMERIC.matcher(host).matches();
      if (port < 1 || port > LAST_PORT || (numeric && !IPV4.matcher(host).matches())) {
        throw complaint(text);
      }
      try {
        return new RemoteAddress(RemoteHost.resolve(host, port));
      } catch (UnknownHostException e) {
        if (numeric || matcher.group(1) != null) {
          throw complaint(text);
        }
        throw new TypeConversionException("unknown host '" + host + "'");
      }
    }

    private static TypeConversionException complaint(String text) {
      return new TypeConversionException(
          "'"
              + text
              + "' is not ADDRESS:PORT, such as 10.0.0.2:7471, [2001:db8::2]:7471 or host:7471");
    }
  }

  /** The address that is tried first. */
  InetSocketAddress toSocketAddress() {
    return host.addresses().getFirst();
  }

  @Override
  public String toString() {
    return host.toString();
  }
}
