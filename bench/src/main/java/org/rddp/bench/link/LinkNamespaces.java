package org.rddp.bench.link;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.rddp.rig.NetworkNamespace;

/**
 * The network namespaces of a link: two veth pairs, one end of each in a namespace in the middle,
 * the others in namespaces of their own with an address. No offloads: every frame is as long as a
 * real one and has its checksums. Only IPv4; the kernel's TCP uses CUBIC and keeps no metrics of
 * earlier connections.
 */
final class LinkNamespaces implements AutoCloseable {
  /** Name of an end's interface in its namespace. */
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
   * Makes an end's TCP use CUBIC. A namespace may only choose what the machine allows to all, so
   * CUBIC is allowed for as long as that takes.
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

  /** Changes a setting where the kernel has it: one without IPv6 lacks some. */
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

  /** The kernel's congestion control at the near end. */
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
