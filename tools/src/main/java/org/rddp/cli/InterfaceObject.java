package org.rddp.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.net.InetAddress;
import org.rddp.client.DaemonInterface;
import org.rddp.client.types.AddressText;

/** An interface of the daemon as {@code rddp list interfaces} shows it. */
final class InterfaceObject {
  private InterfaceObject() {}

  /** Its keys; docs/ipc.md lists them. */
  static JsonObject of(DaemonInterface from) {
    JsonObject json = new JsonObject();
    json.addProperty("interface", from.name());
    JsonArray addresses = new JsonArray();
    for (InetAddress each : from.addresses()) {
      addresses.add(AddressText.of(each));
    }
    json.add("addresses", addresses);
    if (from.address() != null) {
      json.addProperty("ipv4_prefix", from.prefix());
    }
    if (from.gateway() != null) {
      json.addProperty("ipv4_gateway", AddressText.of(from.gateway()));
    }
    json.addProperty("mtu", from.mtu());
    json.addProperty("mac", mac(from.mac()));
    return json;
  }

  /** A MAC address, the first octet highest, such as {@code 02:00:00:00:00:01}. */
  static String mac(long address) {
    return String.format("%012x", address).replaceAll("(..)(?!$)", "$1:");
  }
}
