package org.rddp.ipc.control;

import java.util.ArrayList;
import java.util.List;

/**
 * An IPv6 address of an interface.
 *
 * @param address the address
 * @param prefix length of its network's prefix in bits, 1 to 128
 */
public record InterfacePrefix(IpAddress address, int prefix) {
  static void writeAll(MessageBuffer buffer, List<InterfacePrefix> prefixes) {
    buffer.putByte(prefixes.size());
    for (InterfacePrefix each : prefixes) {
      each.address.write(buffer);
      buffer.putByte(each.prefix);
    }
  }

  static List<InterfacePrefix> readAll(MessageBuffer buffer) throws ControlProtocolException {
    int count = buffer.getByte();
    List<InterfacePrefix> prefixes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      prefixes.add(new InterfacePrefix(IpAddress.read(buffer), buffer.getByte()));
    }
    return List.copyOf(prefixes);
  }
}
