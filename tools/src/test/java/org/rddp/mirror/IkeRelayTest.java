package org.rddp.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rddp.mirror.XfrmMessages.address;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.KeyExchangeHandler;
import org.rddp.client.Rddp;
import org.rddp.daemon.TestDaemon;
import org.rddp.rig.NetworkNamespace;

/** IKE between a program's UDP sockets in a network namespace, and a daemon's interface. */
@Timeout(120)
class IkeRelayTest {
  private static final InetAddress ONE = address("10.0.0.1");
  private static final InetAddress TWO = address(TestDaemon.ADDRESS_TWO);
  private static final String TUN = "ike-test";
  private static final int IKE = 500;
  private static final int UDP = 8;

  private final NetworkNamespace namespace = namespace();
  private final TestDaemon daemon = TestDaemon.withIpsec();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  private TunDevice tun;

  private static NetworkNamespace namespace() {
    try {
      return new NetworkNamespace("ike");
    } catch (IOException e) {
      assumeTrue(false, e.getMessage());
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void stop() throws Exception {
    // So the relay's read fails.
    if (tun != null) {
      namespace.run("ip", "link", "del", TUN);
      tun.close();
    }
    there.close();
    here.close();
    daemon.close();
    namespace.close();
  }

  /** Runs an action on a thread in the namespace. */
  private <T> T inside(Callable<T> action) {
    return CompletableFuture.supplyAsync(
            () -> {
              try {
                NetworkNamespace.enter(namespace.file());
                return action.call();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            each -> Thread.ofPlatform().start(each))
        .join();
  }

  private IkeRelay relay() {
    tun =
        inside(() -> {
          TunDevice made = new TunDevice(TUN, 1500);
          made.configure(List.of(ONE));
          return made;
        });
    IkeRelay relay = new IkeRelay(tun, log::add);
    here.securityAssociations().exchangeKeys(relay);
    relay.use(here.securityAssociations());
    Thread.ofPlatform().daemon().start(relay::run);
    return relay;
  }

  /** What arrives at the other interface. */
  private BlockingQueue<byte[]> peer() {
    BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
    there
        .securityAssociations()
        .exchangeKeys(
            new KeyExchangeHandler() {
              @Override
              public void onDatagram(InetAddress local, InetAddress remote, byte[] datagram) {
                assertThat(remote).isEqualTo(ONE);
                arrived.add(datagram);
              }

              @Override
              public void onNeed(InetSocketAddress local, InetSocketAddress remote) {}
            });
    return arrived;
  }

  private static byte[] payload(int octets, int first) {
    return ByteBuffer.allocate(octets).putInt(first).putInt(octets).array();
  }

  @Test
  void shouldPassIkeBothWays() throws Exception {
    relay();
    BlockingQueue<byte[]> arrived = peer();
    try (DatagramSocket socket = inside(() -> new DatagramSocket(new InetSocketAddress(ONE, IKE)));
        DatagramSocket other = inside(() -> new DatagramSocket(new InetSocketAddress(ONE, 501)))) {
      InetSocketAddress to = new InetSocketAddress(TWO, IKE);
      // Dropped: not from a port of IKE, and fragments, since it is too long for the TUN.
      other.send(new DatagramPacket(payload(100, 1), 100, to));
      socket.send(new DatagramPacket(payload(2000, 1), 2000, to));
      socket.send(new DatagramPacket(payload(1400, 7), 1400, to));
      byte[] datagram = arrived.poll(60, TimeUnit.SECONDS);
      assertThat(datagram).hasSize(UDP + 1400);
      assertThat(ByteBuffer.wrap(datagram).getInt(UDP)).isEqualTo(7);
      byte[] answer = new byte[UDP + 60];
      ByteBuffer.wrap(answer)
          .putShort((short) IKE)
          .putShort((short) IKE)
          .putShort((short) answer.length)
          .putInt(UDP, 8);
      there.securityAssociations().send(TWO, ONE, answer);
      DatagramPacket received = new DatagramPacket(new byte[2000], 2000);
      socket.receive(received);
      assertThat(received.getLength()).isEqualTo(60);
      assertThat(received.getSocketAddress()).isEqualTo(to);
      assertThat(ByteBuffer.wrap(received.getData()).getInt(0)).isEqualTo(8);
    }
    assertThat(arrived).isEmpty();
    assertThat(log).hasSize(1);
    assertThat(log.peek()).contains("not sent to 10.0.0.2", "not a datagram of IKE");
  }

  private Mirror mirror() throws IOException, InterruptedException {
    return Mirror.start(() -> Rddp.interfaces(daemon.socket()).getFirst(), TUN, log::add);
  }

  @Test
  @DisplayName("where the kernel has another way out it could use the keys, so nothing begins")
  void shouldRefuseAnotherWayOut() throws Exception {
    namespace.run("ip", "link", "add", "way-out", "type", "veth", "peer", "name", "end");
    inside(() -> {
      // What is down is none.
      mirror().close();
      namespace.run("ip", "link", "set", "way-out", "up");
      assertThatThrownBy(this::mirror)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("way-out is up in this network namespace")
          .hasMessageContaining("in a namespace of their own");
      return null;
    });
  }

  @Test
  @DisplayName("without its TUN the mirror ends, so that systemd starts it again")
  void shouldEndWithTheTun() {
    inside(() -> {
      try (Mirror mirror = mirror()) {
        namespace.run("ip", "link", "del", TUN);
        assertThatThrownBy(() -> mirror.run(() -> daemon.connect("one")))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("the TUN has ended");
      }
      return null;
    });
  }

  /** Whether a socket of NETLINK_XFRM (6) has joined group 1. */
  private boolean isMonitored() {
    try {
      return namespace
          .run("cat", "/proc/net/netlink")
          .lines()
          .anyMatch(line -> line.matches("\\S+ +6 +\\d+ +0*1 .*"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldMakeTheKernelAskForAnAssociation() throws Exception {
    IkeRelay relay = relay();
    namespace.run(
        "ip",
        "xfrm",
        "policy",
        "add",
        "src",
        "10.0.0.1",
        "dst",
        "10.0.0.2",
        "proto",
        "tcp",
        "dir",
        "out",
        "tmpl",
        "src",
        "10.0.0.1",
        "dst",
        "10.0.0.2",
        "proto",
        "esp",
        "mode",
        "transport");
    Process monitor =
        new ProcessBuilder(
                "nsenter", "--net=" + namespace.file(), "ip", "xfrm", "monitor", "acquire")
            .start();
    try {
      TestDaemon.await(this::isMonitored, "somebody listens to the kernel's group ACQUIRE");
      inside(() -> {
        relay.onNeed(new InetSocketAddress(ONE, 40_000), new InetSocketAddress(TWO, 7471));
        return null;
      });
      assertThat(monitor.inputReader().readLine()).startsWith("acquire proto esp");
      assertThat(namespace.run("ip", "xfrm", "state"))
          .contains("src 10.0.0.1 dst 10.0.0.2", "proto tcp sport 40000 dport 7471");
    } finally {
      monitor.destroy();
    }
  }
}
