package org.rddp.bench.link;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.rddp.rig.NetworkNamespace;

/**
 * The wires of a link: two veth pairs, one end of each in the middle, the others in namespaces of
 * their own, where the kernel has an address and nothing is left to the wire: every frame is as
 * long as a real one and has its checksums. Only IPv4; the kernel's TCP is told to be CUBIC, and to
 * remember nothing of connections before.
 */
final class LinkNamespaces implements AutoCloseable {
  /** What an end is called in its namespace. */
  static final String INTERFACE = "rddp0";

  private static final String CUBIC = "cubic";
  private static final String CHOSEN = "net.ipv4.tcp_congestion_control";
  private static final Path ALLOWED = Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
  private static final String[] OFFLOADS = {"tx", "rx", "tso", "gso", "gro"};

  private final NetworkNamespace middle;
  private final NetworkNamespace near;
  private final NetworkNamespace far;

  LinkNamespaces(int mtu, String nearAddress, String farAddress)
      throws IOException, InterruptedException {
    middle = namespace("middle");
    near = namespace("near");
    far = namespace("far");
    makeCubic(near);
    makeCubic(far);
    join("near", near, mtu, nearAddress);
    join("far", far, mtu, farAddress);
  }

  private static NetworkNamespace namespace(String name) throws IOException, InterruptedException {
    NetworkNamespace made = new NetworkNamespace(name);
    set(made, "net.ipv6.conf.all.disable_ipv6", "1");
    set(made, "net.ipv6.conf.default.disable_ipv6", "1");
    set(made, "net.ipv4.tcp_no_metrics_save", "1");
    return made;
  }

  /**
   * Makes an end's TCP be CUBIC. A namespace may only choose what the machine allows to all; where
   * that is not CUBIC, it is for as long as this takes.
   */
  private static void makeCubic(NetworkNamespace end) throws IOException, InterruptedException {
    if (end.run("sysctl", "-n", CHOSEN).equals(CUBIC)) {
      return;
    }
    String allowed = Files.readString(ALLOWED).strip();
    boolean refused = !List.of(allowed.split(" ", -1)).contains(CUBIC);
    if (refused) {
      Files.writeString(ALLOWED, allowed + " " + CUBIC);
    }
    try {
      end.run("sysctl", "-q", "-w", CHOSEN + "=" + CUBIC);
    } finally {
      if (refused) {
        Files.writeString(ALLOWED, allowed);
      }
    }
  }

  /** Where the kernel has the setting: one without IPv6 has fewer. */
  private static void set(NetworkNamespace namespace, String name, String value)
      throws IOException, InterruptedException {
    namespace.run("sysctl", "-q", "-e", "-w", name + "=" + value);
  }

  private void join(String name, NetworkNamespace end, int mtu, String address)
      throws IOException, InterruptedException {
    String holder = Integer.toString(end.holder());
    String octets = Integer.toString(mtu);
    middle.run(
        "ip", "link", "add", name, "mtu", octets, "type", "veth", "peer", "name", INTERFACE, "mtu",
        octets, "netns", holder);
    for (String each : OFFLOADS) {
      middle.run("ethtool", "-K", name, each, "off");
      end.run("ethtool", "-K", INTERFACE, each, "off");
    }
    end.run("ip", "address", "add", address + "/24", "dev", INTERFACE);
    middle.run("ip", "link", "set", name, "up");
    end.run("ip", "link", "set", INTERFACE, "up");
  }

  NetworkNamespace middle() {
    return middle;
  }

  NetworkNamespace near() {
    return near;
  }

  NetworkNamespace far() {
    return far;
  }

  /** What the kernel says is its congestion control at the near end. */
  String congestionControl() throws IOException, InterruptedException {
    return near.run("sysctl", "-n", CHOSEN);
  }

  @Override
  public void close() {
    near.close();
    far.close();
    middle.close();
  }
}
