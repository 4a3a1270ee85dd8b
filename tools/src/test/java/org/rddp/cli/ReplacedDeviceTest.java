package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Rddp;
import org.rddp.daemon.SteadyExchange;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.NetworkNamespace;

/**
 * Daemons take each other's place on devices that one process can have at a time, while programs
 * exchange messages with those of another daemon.
 */
@Timeout(240)
@EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
class ReplacedDeviceTest {
  private static final InetSocketAddress FAR = new InetSocketAddress("10.0.0.2", 7);

  private static final String VIRTIO = ",queues=1,packed_vq=1";

  @TempDir private Path folder;
  private NetworkNamespace namespace;
  private DaemonProcess near;

  private Path configuration(String name, String device, String address) throws IOException {
    ConfigurationText text =
        new ConfigurationText()
            .control(folder.resolve(name + ".sock"))
            .dpdk(64, false, "error")
            .port(name, device, address + "/24", "packets", 2048);
    return Files.writeString(folder.resolve(name + address + ".toml"), text.toString());
  }

  private DaemonProcess start(Path file, String... options) throws Exception {
    DaemonProcess started = DaemonProcess.startIn(namespace, file, options);
    started.awaitReady();
    return started;
  }

  private static NetworkNamespace namespace() throws InterruptedException {
    try {
      return new NetworkNamespace("replaced");
    } catch (IOException e) {
      return abort("no network namespaces: " + e.getMessage());
    }
  }

  private SteadyExchange exchange() {
    return new SteadyExchange(
        Rddp.connect(folder.resolve("near.sock")), Rddp.connect(folder.resolve("far.sock")), FAR);
  }

  /** The near daemon is replaced, also after one that has not made it. */
  private void shouldGoOn(String device, SteadyExchange exchange) throws Exception {
    Path file = configuration("near", device, "10.0.0.1");
    exchange.awaitMessages(100);
    replace(file);
    exchange.awaitMessages(100);
    halt(file);
    exchange.awaitMessages(100);
    replace(file);
    exchange.awaitMessages(100);
    assertThat(exchange.daemonPid()).isEqualTo(near.pid());
  }

  private void replace(Path file) throws Exception {
    DaemonProcess old = near;
    near = start(file, "--replace");
    assertThat(old.awaitEnd()).as(old::output).isZero();
  }

  private void shouldRefuse(SteadyExchange exchange, Path file, String... options)
      throws Exception {
    try (DaemonProcess other = DaemonProcess.startIn(namespace, file, options)) {
      int code = other.awaitEnd();
      assertThat(code).as(other::output).isEqualTo(options.length == 1 ? 1 : 0);
    }
    exchange.awaitMessages(100);
  }

  /** A process that has taken the devices ends without a word. */
  private void halt(Path file) throws Exception {
    try (DaemonProcess other = DaemonProcess.startIn(namespace, HaltingSuccessor.class, file)) {
      other.awaitLine("halts"::equals);
      other.awaitEnd();
    }
  }

  @Test
  void shouldGoOnWithTap() throws Exception {
    String device = "net_tap0,iface=tap0";
    try (NetworkNamespace held = namespace()) {
      namespace = held;
      held.run("ip", "link", "add", "bridge", "type", "bridge");
      held.run("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth1");
      held.run("ip", "link", "set", "veth1", "master", "bridge");
      for (String each : new String[] {"veth0", "veth1", "bridge"}) {
        held.run("ip", "link", "set", each, "up");
      }
      near = start(configuration("near", device, "10.0.0.1"));
      try (DaemonProcess far = start(configuration("far", "linux:veth0", "10.0.0.2"))) {
        // A bridge keeps frames to its own interfaces' addresses.
        held.run("ip", "link", "set", "tap0", "address", "02:00:00:00:01:07", "master", "bridge");
        held.run("ip", "address", "add", "10.1.0.1/24", "dev", "tap0");
        held.run("ip", "address", "add", "2001:db8::1/64", "dev", "tap0", "nodad");
        held.run("ip", "route", "add", "10.2.0.0/24", "via", "10.1.0.2", "dev", "tap0");
        String before = interfaceInKernel();
        try (SteadyExchange exchange = exchange()) {
          Path file = configuration("near", device, "10.0.0.1");
          shouldRefuse(exchange, file, "--check", "--replace");
          shouldRefuse(exchange, configuration("near", device, "10.0.0.3"), "--replace");
          shouldGoOn(device, exchange);
        }
        assertThat(interfaceInKernel()).isEqualTo(before);
        assertThat(far.isAlive()).isTrue();
      } finally {
        near.close();
      }
    }
  }

  @Test
  void shouldGoOnWithVirtioUser() throws Exception {
    String socket = folder.resolve("link.sock").toString();
    String device = "net_virtio_user0,path=" + socket + VIRTIO;
    try (NetworkNamespace held = namespace()) {
      namespace = held;
      Path vhost = configuration("far", "net_vhost0,iface=" + socket + ",queues=1", "10.0.0.2");
      try (DaemonProcess far = start(vhost)) {
        near = start(configuration("near", device, "10.0.0.1"));
        try (SteadyExchange exchange = exchange()) {
          shouldGoOn(device, exchange);
        }
        assertThat(far.isAlive()).isTrue();
      } finally {
        near.close();
      }
    }
  }

  @Test
  void shouldGoOnWithXdp() throws Exception {
    try (NetworkNamespace held = namespace()) {
      namespace = held;
      held.run("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth1");
      held.run("ip", "link", "set", "veth0", "up");
      held.run("ip", "link", "set", "veth1", "up");
      near = start(configuration("near", "xdp:veth1", "10.0.0.1"));
      try (DaemonProcess far = start(configuration("far", "xdp:veth0", "10.0.0.2"))) {
        Path file = configuration("near", "xdp:veth1", "10.0.0.1");
        try (SteadyExchange exchange = exchange()) {
          exchange.awaitMessages(100);
          halt(file);
          exchange.awaitMessages(100);
          replace(file);
          exchange.awaitMessages(100);
        }
        assertThat(far.isAlive()).isTrue();
      } finally {
        near.close();
      }
    }
  }

  private String interfaceInKernel() throws Exception {
    return namespace.run("ip", "-o", "address", "show", "dev", "tap0", "scope", "global")
        + namespace.run("ip", "-o", "link", "show", "dev", "tap0")
        + namespace.run("ip", "route", "show", "dev", "tap0")
        + namespace.run("ip", "-6", "route", "show", "dev", "tap0");
  }
}
