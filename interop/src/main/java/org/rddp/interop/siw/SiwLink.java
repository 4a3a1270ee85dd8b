package org.rddp.interop.siw;

import java.net.InetSocketAddress;
import org.rddp.daemon.configuration.InterfaceConfiguration;

/**
 * A link between one of the daemon's interfaces and the guest.
 *
 * @param interfaceName the daemon's name for it
 * @param kind of the wrapper around its device, such as {@code clean}, {@code lossy} or {@code
 *     spoiled}
 * @param mtu of both ends
 * @param ours our address
 * @param guests the guest's address
 * @param device name of siw's device in the guest
 */
record SiwLink(
    String interfaceName, String kind, int mtu, String ours, String guests, String device) {
  private static final int LARGE = 9000;

  static SiwLink of(InterfaceConfiguration configured) {
    String name = configured.name();
    String digits = name.replaceAll("\\D", "");
    int address = configured.address();
    return new SiwLink(
        name,
        name.substring(0, name.length() - digits.length()),
        configured.mtu(),
        text(address),
        text((address & -256) | 1),
        configured.mtu() == LARGE ? "siw1" : "siw0");
  }

  private static String text(int address) {
    return (address >>> 24)
        + "."
        + (address >>> 16 & 255)
        + "."
        + (address >>> 8 & 255)
        + "."
        + (address & 255);
  }

  /** A socket address in the guest. */
  InetSocketAddress guest(int port) {
    return new InetSocketAddress(guests, port);
  }

  /** MTU and kind, for the table. */
  @Override
  public String toString() {
    return "MTU " + mtu + (kind.equals("lossy") ? " 1 % loss" : " clean");
  }
}
