package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Capture;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RefusedException;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SecurityAssociation;

/** Security associations of a running daemon: who may change them, and how long they last. */
@Timeout(120)
class SecurityAssociationsTest {
  private static final int NOBODY = 65534;
  private static final int PORT = 7471;
  private static final int OCTETS = 50_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String ONE = TestDaemon.ADDRESS_ONE;
  private static final String TWO = TestDaemon.ADDRESS_TWO;

  private final SplittableRandom random = new SplittableRandom(1);

  private static SecurityAssociation association(int spi, String from, String to) {
    return new SecurityAssociation(
        spi, from, to, false, "aes256gcm16", true, 0, "", false, 0, 0, 0, 0, 0, 0);
  }

  private byte[] keys() {
    byte[] keys = new byte[36];
    random.nextBytes(keys);
    return keys;
  }

  private void associate(Rddp here, Rddp there) {
    for (int spi = 0x1001; spi <= 0x1002; spi++) {
      boolean back = spi == 0x1002;
      byte[] keys = keys();
      for (Rddp each : List.of(here, there)) {
        each.securityAssociations()
            .add(association(spi, back ? TWO : ONE, back ? ONE : TWO), 0, keys.clone());
      }
    }
  }

  private static void connectAndEnd(Rddp here, Rddp there) {
    try (Listener listener = there.listen(PORT)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(
              () -> listener.await(TIMEOUT).accept(), each -> Thread.ofPlatform().start(each));
      try (Connection out =
          here.connect(new InetSocketAddress(TWO, PORT), PrivateData.NONE, TIMEOUT)) {
        assertThat(accepted.join().isOpen()).isTrue();
        out.abort();
      }
    }
  }

  @Test
  void shouldLetRootAndTheDaemonsUserOnly() throws Exception {
    try (TestDaemon daemon =
        TestDaemon.withKeys("ipsec = { default = \"require\" }", "mode = \"0666\"\n")) {
      Files.setPosixFilePermissions(
          daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
      int group = (int) Files.getAttribute(daemon.socket(), "unix:gid");
      byte[] keys = keys();
      try (Rddp theirs = OtherUser.call(NOBODY, group, () -> daemon.connect("one"))) {
        assertThatThrownBy(
                () -> theirs.securityAssociations().add(association(300, ONE, TWO), 0, keys))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("only root and the daemon's own user");
        assertThatThrownBy(() -> theirs.securityAssociations().delete(300, TWO))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("only root and the daemon's own user");
        assertThatThrownBy(() -> theirs.list(ListSubject.ASSOCIATIONS))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("only root and the daemon's own user");
      }
      assertThat(keys).containsOnly(0);
    }
  }

  @Test
  @DisplayName(
      "RFC 4106 section 2: interfaces cannot use each other's keys, but for their own link")
  void shouldRefuseKeysOfAnotherInterface() {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      byte[] keys = keys();
      here.securityAssociations().add(association(0x1001, ONE, "10.0.0.3"), 0, keys.clone());
      expectUsed(there, association(0x1001, TWO, "10.0.0.3"), keys);
      expectUsed(there, association(0x1001, "10.0.0.3", TWO), keys);
      byte[] ofLink = keys();
      here.securityAssociations().add(association(0x1002, ONE, TWO), 0, ofLink.clone());
      expectUsed(there, association(0x1003, ONE, TWO), ofLink);
      there.securityAssociations().add(association(0x1002, ONE, TWO), 0, ofLink.clone());
      there.securityAssociations().delete(0x1002, TWO);
      expectUsed(there, association(0x1002, ONE, TWO), ofLink);
    }
  }

  private static void expectUsed(Rddp session, SecurityAssociation association, byte[] keys) {
    assertThatThrownBy(() -> session.securityAssociations().add(association, 0, keys.clone()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("these keys were used before");
  }

  @Test
  void shouldListManyOnSeveralPages() {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      associate(here, there);
      for (int i = 0; i < 40; i++) {
        here.securityAssociations()
            .add(association(0x2000 + i, ONE, "10.0.0." + (100 + i)), 0, keys());
      }
      List<String> listed = here.list(ListSubject.ASSOCIATIONS);
      assertThat(listed).hasSize(44).doesNotHaveDuplicates();
      assertThat(listed).filteredOn(each -> each.contains("\"interface\":\"two\"")).hasSize(2);
    }
  }

  @Test
  void shouldKeepAssociationsWhenTheEngineBeginsAnew() {
    try (TestDaemon daemon = TestDaemon.withIpsec()) {
      try (Rddp here = daemon.connect("one");
          Rddp there = daemon.connect("two")) {
        associate(here, there);
        connectAndEnd(here, there);
      }
      try (Rddp lost = daemon.connect("one")) {
        daemon.breakQueue(0, 100);
        assertThatThrownBy(
                () -> {
                  while (true) {
                    lost.await(TIMEOUT);
                  }
                })
            .isInstanceOf(SessionLostException.class);
      }
      try (Rddp here = daemon.connect("one");
          Rddp there = daemon.connect("two")) {
        assertThat(here.list(ListSubject.ASSOCIATIONS)).hasSize(4);
        connectAndEnd(here, there);
      }
    }
  }

  @Test
  @Tag("MPA-9.4-03")
  @Tag("DDP-8.4.2-06")
  @Tag("RDMAP-8.2.2-06")
  void shouldKeepAStreamWhileThereIsNoAssociation() throws Exception {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        Listener listener = there.listen(PORT)) {
      associate(here, there);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(
              () -> listener.await(TIMEOUT).accept(), each -> Thread.ofPlatform().start(each));
      try (Connection out =
              here.connect(new InetSocketAddress(TWO, PORT), PrivateData.NONE, TIMEOUT);
          Connection in = accepted.join()) {
        MemoryRegion source = here.allocate(OCTETS);
        source.segment().fill((byte) 7);
        MemoryRegion sink = there.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        for (Rddp each : List.of(here, there)) {
          each.securityAssociations().delete(0x1001, TWO);
          each.securityAssociations().delete(0x1002, ONE);
        }
        assertThat(out.postWrite(1, source, 0, OCTETS, sink.stag(), 0)).isTrue();
        TestDaemon.await(
            () -> counter(here, "one.esp_unsent_without_association") > 0, "it cannot be sent");
        assertThat(sink.segment().mismatch(source.segment())).isZero();
        associate(here, there);
        TestDaemon.await(
            () -> sink.segment().mismatch(source.segment()) < 0, "TCP has sent it again");
        assertThat(out.isOpen() && in.isOpen()).isTrue();
        out.abort();
      }
    }
  }

  @Test
  @Tag("MPA-4.4-05")
  @Tag("MPA-4.4-06")
  @DisplayName("without CRC are only the connections that ESP must protect, if configured so")
  void shouldDoWithoutCrcInEsp() {
    String table =
        """
        { default = "require", rule = [
          { remote = "10.0.0.0/24", local-port = 7472, action = "bypass" },
          { remote = "10.0.0.0/24", remote-port = 7472, action = "bypass" } ] }
        """;
    try (TestDaemon daemon = TestDaemon.withIpsec(table.replace("\n", " "), "crc-in-esp = false");
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      associate(here, there);
      assertThat(crcs(here, there, TWO, PORT)).containsOnly(false);
      assertThat(crcs(here, there, TWO, 7472)).as("in clear").containsOnly(true);
      assertThat(crcs(there, there, TWO, PORT)).as("with itself").containsOnly(true);
    }
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      associate(here, there);
      assertThat(crcs(here, there, TWO, PORT)).as("by default").containsOnly(true);
    }
  }

  /** Whether both ends of a new connection use CRCs. */
  private static List<Boolean> crcs(Rddp from, Rddp to, String address, int port) {
    try (Listener listener = to.listen(port)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(
              () -> listener.await(TIMEOUT).accept(), each -> Thread.ofPlatform().start(each));
      try (Connection out =
              from.connect(new InetSocketAddress(address, port), PrivateData.NONE, TIMEOUT);
          Connection in = accepted.join()) {
        assertThat(in.isOpen()).isTrue();
        List<Boolean> found =
            from.list(ListSubject.CONNECTIONS).stream()
                .filter(each -> each.contains("\"crc\":"))
                .map(each -> each.contains("\"crc\":true"))
                .toList();
        assertThat(found).hasSize(2);
        out.abort();
        return found;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a capture shows the wire as it is, or with what is in ESP in clear")
  void shouldCaptureInClearIfAsked(boolean plain) throws Exception {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      associate(here, there);
      Set<Integer> protocols = new HashSet<>();
      try (Capture capture = here.startCapture(1 << 18, 65535, plain)) {
        connectAndEnd(here, there);
        here.stopCapture();
        int polled;
        do {
          polled =
              capture.poll(
                  (time, original, octets) -> {
                    if (octets.get(ValueLayout.JAVA_BYTE, 12) == 8
                        && octets.get(ValueLayout.JAVA_BYTE, 13) == 0) {
                      protocols.add((int) octets.get(ValueLayout.JAVA_BYTE, 23));
                    }
                  },
                  100);
        } while (polled > 0);
      }
      assertThat(protocols).containsExactly(plain ? 6 : 50);
    }
  }

  private static SecurityAssociation withLifetime(int spi, long soft, long hard) {
    return new SecurityAssociation(
        spi, ONE, TWO, false, "aes256gcm16", true, 0, "", false, 0, 0, soft, hard, 0, 0);
  }

  @Test
  @DisplayName("RFC 4301 4.4.2.1: the ends of lifetimes are logged and counted, and alarms raised")
  void shouldWarnOfLifetimesAndDroppedPackets() {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two")) {
      byte[] keys = keys();
      here.securityAssociations().add(withLifetime(0x1001, 1, 1_000_000), 0, keys.clone());
      there.securityAssociations().add(withLifetime(0x1001, 2_000_000, 3_000_000), 0, keys);
      keys = keys();
      here.securityAssociations().add(association(0x1002, TWO, ONE), 0, keys.clone());
      there.securityAssociations().add(association(0x1002, TWO, ONE), 0, keys);
      assertThat(counter(here, "one.esp_associations_ending")).isZero();
      connectAndEnd(here, there);
      String named = "one: security association 0x00001001 to 10.0.0.2";
      TestDaemon.await(() -> daemon.log().contains(named + " nears its end"), "it is logged");
      TestDaemon.await(() -> counter(here, "one.esp_associations_ending") == 1, "it is counted");
      assertThat(daemon.log()).doesNotContain("two: security association 0x00001001 to 10.0.0.2 n");
      // One packet is enough for the hard lifetime.
      here.securityAssociations().add(withLifetime(0x1003, 1, 1), 0x1001, keys());
      there.securityAssociations().delete(0x1001, TWO);
      TestDaemon.await(() -> counter(here, "one.esp_associations_ending") == 0, "it is gone");
      assertThatThrownBy(() ->
              here.connect(
                  new InetSocketAddress(TWO, PORT), PrivateData.NONE, Duration.ofSeconds(2)))
          .isInstanceOf(RddpException.class);
      TestDaemon.await(
          () ->
              daemon
                  .log()
                  .contains("ALARM: one: security association 0x00001003 to 10.0.0.2 is over"),
          "the end is logged");
      TestDaemon.await(
          () ->
              daemon
                  .log()
                  .lines()
                  .anyMatch(each ->
                      each.contains("ALARM: one: packets dropped: ")
                          && each.contains("not sent for want of an association")),
          "what is not sent is logged");
      TestDaemon.await(() -> counter(here, "one.esp_associations_over") == 1, "it is counted");
      assertThat(counter(here, "one.esp_associations_ending")).isZero();
    }
  }

  @Test
  @DisplayName("engines of one interface share its associations")
  void shouldServeEveryEngine() throws Exception {
    try (TestDaemon daemon = TestDaemon.withIpsec(2)) {
      try (Rddp here = daemon.connect("one/1");
          Rddp there = daemon.connect("two/0")) {
        associate(here, there);
        assertThat(here.list(ListSubject.ASSOCIATIONS)).hasSize(4);
      }
      for (String from : List.of("one/0", "one/1")) {
        for (String to : List.of("two/0", "two/1")) {
          try (Rddp here = daemon.connect(from);
              Rddp there = daemon.connect(to)) {
            connectAndEnd(here, there);
          }
        }
      }
      try (Rddp here = daemon.connect("one")) {
        // Each engine publishes its counters in a turn of its own.
        List<String> engines = List.of("one/0", "one/1", "two/0", "two/1");
        TestDaemon.await(
            () ->
                engines.stream().allMatch(each -> counter(here, each + ".esp_sent_packets") > 0)
                    && counter(here, "one/0.esp_received_packets")
                        == counter(here, "two/0.esp_sent_packets")
                            + counter(here, "two/1.esp_sent_packets"),
            "every engine has sealed packets, and the queue that ESP comes to has opened all");
        for (String engine : engines) {
          assertThat(counter(here, engine + ".esp_dropped_replayed")).as(engine).isZero();
          assertThat(counter(here, engine + ".esp_dropped_clear")).as(engine).isZero();
        }
        here.securityAssociations().delete(0x1001, TWO);
        assertThat(here.list(ListSubject.ASSOCIATIONS)).hasSize(3);
      }
    }
  }

  private static long counter(Rddp session, String name) {
    try {
      return TestDaemon.counters(session).get(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldLogAssociationsWithoutTheirKeys() {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        Rddp here = daemon.connect("one")) {
      byte[] keys = keys();
      String text = HexFormat.of().formatHex(keys);
      here.securityAssociations().add(association(0x1001, ONE, TWO), 0, keys.clone());
      assertThatThrownBy(
              () -> here.securityAssociations().add(association(0x1003, ONE, TWO), 0, keys))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("used before");
      here.securityAssociations().delete(0x1001, TWO);
      TestDaemon.await(
          () -> daemon.log().contains("0x00001001 to 10.0.0.2 deleted by test"), "it is logged");
      assertThat(daemon.log())
          .contains("one: security association 0x00001001 to 10.0.0.2 added by test")
          .doesNotContain(text, text.substring(8, 24));
    }
  }
}
