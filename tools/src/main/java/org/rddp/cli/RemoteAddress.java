package org.rddp.cli;

import java.net.InetSocketAddress;
import org.rddp.daemon.configuration.Ipv4Text;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The address at which a remote program listens, {@code ADDRESS:PORT}.
 *
 * @param address its IPv4 address
 * @param port its TCP port, 1 to 65535
 */
record RemoteAddress(int address, int port) {
  /** Reads an address from the command line. */
  static final class Converter implements ITypeConverter<RemoteAddress> {
    @Override
    public RemoteAddress convert(String text) {
      int colon = text.lastIndexOf(':');
      try {
        int port = Integer.parseInt(text, colon + 1, text.length(), 10);
        if (colon > 0 && port > 0 && port < 1 << 16) {
          return new RemoteAddress(Ipv4Text.parse(text.substring(0, colon)), port);
        }
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(complaint(text));
      }
      throw new TypeConversionException(complaint(text));
    }

    private static String complaint(String text) {
      return "'" + text + "' is not ADDRESS:PORT, such as 10.0.0.2:7471";
    }
  }

  InetSocketAddress toSocketAddress() {
    return new InetSocketAddress(Ipv4Text.format(address), port);
  }

  @Override
  public String toString() {
    return Ipv4Text.format(address) + ":" + port;
  }
}
