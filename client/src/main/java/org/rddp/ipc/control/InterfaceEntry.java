package org.rddp.ipc.control;

import java.util.ArrayList;
import java.util.List;

/**
 * An interface of the daemon.
 *
 * @param name by which a program chooses it
 * @param address its address
 * @param prefix length of its network's prefix in bits
 * @param gateway the gateway, or {@link IpAddress#NONE}
 * @param mtu octets of the longest IP packet
 * @param mac the device's address: 48 bits, the first octet highest
 */
public record InterfaceEntry(
    String name, IpAddress address, int prefix, IpAddress gateway, int mtu, long mac) {
  /** The most entries in a message; a name has at most 32 octets. */
  public static final int MOST = 32;

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
              (long) buffer.getShort() << LOW_OCTETS | Integer.toUnsignedLong(buffer.getInt())));
    }
    return List.copyOf(entries);
  }
}
