package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.KeyExchangeHandler;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.PrivateData;

/** IKE's datagrams, and what needs an association, between a running daemon and programs. */
@Timeout(120)
class KeyExchangeTest {
  private static final int NOBODY = 65534;
  private static final int PORT = 7471;
  private static final int IKE_PORT = 500;
  private static final int OCTETS = 1400;

  private final InetAddress one = address(TestDaemon.ADDRESS_ONE);
  private final InetAddress two = address(TestDaemon.ADDRESS_TWO);

  private static InetAddress address(String literal) {
    return new InetSocketAddress(literal, 0).getAddress();
  }

  /** What a program was told. */
  private static final class Recorder implements KeyExchangeHandler {
    final BlockingQueue<byte[]> datagrams = new LinkedBlockingQueue<>();
    final BlockingQueue<InetAddress> senders = new LinkedBlockingQueue<>();
    final BlockingQueue<InetSocketAddress> peers = new LinkedBlockingQueue<>();

    @Override
    public void onDatagram(InetAddress local, InetAddress remote, byte[] datagram) {
      senders.add(remote);
      datagrams.add(datagram);
    }

    @Override
    public void onNeed(InetSocketAddress local, InetSocketAddress remote) {
      peers.add(remote);
    }
  }

  private static byte[] datagram(int mark) {
    return ByteBuffer.allocate(OCTETS)
        .putShort((short) IKE_PORT)
        .putShort((short) IKE_PORT)
        .putShort((short) OCTETS)
        .putShort((short) 0)
        .putInt(mark)
        .array();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @DisplayName("datagrams of IKE reach the program, also if another engine receives them")
  void shouldPassDatagramsBothWays(int engines) throws Exception {
    Recorder atOne = new Recorder();
    Recorder atTwo = new Recorder();
    // What is not TCP comes to the queue of the first engine.
    try (TestDaemon daemon = TestDaemon.withIpsec(engines);
        Rddp here = daemon.connect(engines == 1 ? "one" : "one/1");
        Rddp there = daemon.connect(engines == 1 ? "two" : "two/1")) {
      here.securityAssociations().exchangeKeys(atOne);
      there.securityAssociations().exchangeKeys(atTwo);
      here.securityAssociations().send(one, two, datagram(1));
      assertThat(atTwo.datagrams.poll(60, TimeUnit.SECONDS)).isEqualTo(datagram(1));
      assertThat(atTwo.senders).containsExactly(one);
      there.securityAssociations().send(two, one, datagram(2));
      assertThat(atOne.datagrams.poll(60, TimeUnit.SECONDS)).isEqualTo(datagram(2));
      assertThatThrownBy(() -> here.securityAssociations().send(two, one, datagram(1)))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("is not from");
      assertThatThrownBy(() -> here.securityAssociations().send(one, two, new byte[8]))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("not a datagram of IKE");
      assertThatThrownBy(() -> here.securityAssociations().send(one, two, new byte[3841]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shouldTellWhichPeerNeedsAnAssociation() {
    Recorder recorder = new Recorder();
    try (TestDaemon daemon = TestDaemon.withIpsec(2);
        Rddp here = daemon.connect("one/0");
        Rddp mirror = daemon.connect("one/1")) {
      mirror.securityAssociations().exchangeKeys(recorder);
      CompletableFuture<Void> connecting =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(() ->
                      here.connect(
                          new InetSocketAddress(two, PORT),
                          PrivateData.NONE,
                          Duration.ofSeconds(2))),
              each -> Thread.ofPlatform().start(each));
      TestDaemon.await(() -> !recorder.peers.isEmpty(), "it is told");
      assertThat(recorder.peers.peek()).isEqualTo(new InetSocketAddress(two, PORT));
      connecting.join();
    }
  }

  @Test
  void shouldServeOneSessionAfterTheOther() {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp second = daemon.connect("one")) {
      assertThatThrownBy(() -> second.securityAssociations().send(one, two, datagram(1)))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("BeginKeyExchange comes first");
      try (Rddp first = daemon.connect("one")) {
        first.securityAssociations().exchangeKeys(new Recorder());
        assertThatThrownBy(() -> second.securityAssociations().exchangeKeys(new Recorder()))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("another program");
      }
      second.securityAssociations().exchangeKeys(new Recorder());
      second.securityAssociations().send(one, two, datagram(1));
    }
  }

  @Test
  void shouldLetRootAndTheDaemonsUserOnly() throws Exception {
    try (TestDaemon daemon =
        TestDaemon.withKeys("ipsec = { default = \"require\" }", "mode = \"0666\"\n")) {
      Files.setPosixFilePermissions(
          daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
      int group = (int) Files.getAttribute(daemon.socket(), "unix:gid");
      try (Rddp theirs = OtherUser.call(NOBODY, group, () -> daemon.connect("one"))) {
        assertThatThrownBy(() -> theirs.securityAssociations().exchangeKeys(new Recorder()))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("only root and the daemon's own user");
        assertThatThrownBy(() -> theirs.securityAssociations().send(one, two, datagram(1)))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("only root and the daemon's own user");
      }
    }
  }

  @Test
  void shouldRefuseAnInterfaceWithoutPolicy() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one")) {
      assertThatThrownBy(() -> here.securityAssociations().exchangeKeys(new Recorder()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("needs [interface.ipsec]");
    }
  }
}
