package org.rddp.ipc.control;

import java.util.ArrayList;
import java.util.List;

/**
 * An interface of the daemon.
 *
 * @param name by which a program chooses it
 * @param address its IPv4 address, or {@link IpAddress#NONE}
 * @param prefix length of that network's prefix in bits; 0 without an IPv4 address
 * @param gateway the IPv4 gateway, or {@link IpAddress#NONE}
 * @param mtu octets of the longest IP packet
 * @param mac the device's address: 48 bits, the first octet highest
 * @param ipv6 its IPv6 addresses: none, or at most two, the configured one and the link-local one
 */
public record InterfaceEntry(
    String name,
    IpAddress address,
    int prefix,
    IpAddress gateway,
    int mtu,
    long mac,
    List<InterfacePrefix> ipv6) {
  /** The most entries in a message; a name has at most 32 octets. */
  public static final int MOST = 28;

  private static final int LOW_OCTETS = 32;

  static void writeAll(MessageBuffer buffer, List<InterfaceEntry> entries) {
    buffer.putShort(entries.size());
    for (InterfaceEntry entry : entries) {
      buffer.putText(entry.name);
      entry.address.write(buffer);
      buffer.putInt(entry.prefix);
      entry.gateway.write(buffer);
      buffer.putInt(entry.mtu);
      buffer.putShort((int) (entry.mac >>> LOW_OCTETS));
      buffer.putInt((int) entry.mac);
      InterfacePrefix.writeAll(buffer, entry.ipv6);
    }
  }

  static List<InterfaceEntry> readAll(MessageBuffer buffer) throws ControlProtocolException {
    int count = buffer.getShort();
    if (count > MOST) {
      throw new ControlProtocolException(count + " interfaces in a message, at most " + MOST);
    }
    List<InterfaceEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(
          new InterfaceEntry(
              buffer.getText(),
              IpAddress.read(buffer),
              buffer.getInt(),
              IpAddress.read(buffer),
              buffer.getInt(),
              (long) buffer.getShort() << LOW_OCTETS | Integer.toUnsignedLong(buffer.getInt()),
              InterfacePrefix.readAll(buffer)));
    }
    return List.copyOf(entries);
  }
}
