package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.daemon.engine.Engine;

/** Peers that send no valid MPA, beside a connection that must not be affected. */
@Timeout(60)
class GarbageTest {
  private static final int PORT = 7471;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private TestDaemon daemon;
  private Rddp here;
  private Rddp there;
  private Listener listener;
  private Connection good;
  private MemoryRegion source;
  private MemoryRegion sink;
  private long errors;

  @BeforeEach
  void connect() {
    daemon = new TestDaemon();
    here = daemon.connect("one");
    there = daemon.connect("two");
    listener = there.listen(PORT);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    good = here.connect(new InetSocketAddress("10.0.0.2", PORT), PrivateData.NONE, TIMEOUT);
    accepted.join();
    source = here.allocate(64);
    sink = there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    errors = two().counters().startupErrors;
  }

  @AfterEach
  void shouldNotAffectTheOtherConnection() {
    assertThat(listener.poll()).as("a request that reached the program").isNull();
    source.segment().fill((byte) 7);
    assertThat(good.postWrite(1, source, 0, 64, sink.stag(), 0)).isTrue();
    TestDaemon.await(
        () -> here.poll(completion -> assertThat(completion.isSuccess()).isTrue(), 1) == 1,
        "the write completes");
    TestDaemon.await(
        () -> sink.segment().mismatch(source.segment()) == -1, "the write has arrived");
    here.close();
    there.close();
    daemon.close();
  }

  private Engine two() {
    return daemon.daemon().engines().get(1);
  }

  private RawTcpConnection peer(byte[] octets, boolean closes) {
    return new RawTcpConnection(daemon.daemon().engines().get(0), "10.0.0.2", PORT, octets, closes);
  }

  private void shouldBeRefused(byte[] octets, boolean closes) throws Exception {
    RawTcpConnection peer = peer(octets, closes);
    peer.awaitClosed();
    TestDaemon.await(() -> two().counters().startupErrors == errors + 1, "the refusal is counted");
  }

  @Test
  void shouldRejectHttp() throws Exception {
    shouldBeRefused(
        "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n".getBytes(StandardCharsets.US_ASCII), false);
    TestDaemon.await(
        () ->
            daemon
                .log()
                .lines()
                .anyMatch(line ->
                    line.matches(
                        "\\S+Z warn connection interface=two local=10\\.0\\.0\\.2:\\d+"
                            + " peer=10\\.0\\.0\\.1:\\d+ session=\\d+ program=test pid=\\d+"
                            + " uid=\\d+: .+")),
        "the log names interface, both addresses and the session");
  }

  @Test
  void shouldRejectRandomOctets() throws Exception {
    byte[] octets = new byte[5000];
    new Random(3).nextBytes(octets);
    shouldBeRefused(octets, false);
  }

  @Test
  void shouldRejectATruncatedRequest() throws Exception {
    byte[] request = new byte[20];
    byte[] key = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(key, 0, request, 0, key.length);
    request[16] = 0x40;
    request[17] = 1;
    request[19] = 100;
    shouldBeRefused(Arrays.copyOf(request, 19), true);
  }

  @Test
  void shouldRejectTooMuchPrivateData() throws Exception {
    byte[] request = new byte[20];
    byte[] key = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(key, 0, request, 0, key.length);
    request[16] = 0x40;
    request[17] = 1;
    request[18] = 2;
    request[19] = 1;
    shouldBeRefused(request, false);
  }

  /** An error ends only its own stream of plain DDP, not another one of the same program. */
  @Test
  void shouldFailAStreamWhosePeerUsesAnUnknownQueue() {
    ConnectionOptions options = ConnectionOptions.plainDdp(1).withTaggedNotices(1);
    try (Listener plain = there.listen(new InetSocketAddress(PORT + 1), 1, options)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> plain.await(TIMEOUT).accept());
      Connection bad =
          here.connect(
              new InetSocketAddress("10.0.0.2", PORT + 1),
              PrivateData.NONE,
              TIMEOUT,
              ConnectionOptions.plainDdp(1, 1));
      Connection failed = accepted.join();
      assertThat(failed.ddp().postReceive(0, 1, there.allocate(64, Access.LOCAL_WRITE), 0, 64))
          .isTrue();
      assertThat(bad.ddp().postUntagged(1, 2, source, 0, 64, 0, SendFlags.SIGNALLED)).isTrue();
      TestDaemon.await(() -> failed.streamError() != null, "the program hears of it");
      TestDaemon.await(
          () -> here.poll(completion -> assertThat(completion.id()).isEqualTo(2), 1) == 1,
          "the message has been sent");
      TestDaemon.await(
          () -> there.poll(completion -> assertThat(completion.id()).isEqualTo(1), 1) == 1,
          "the receive is flushed");
      assertThat(failed.streamError().code()).isEqualTo(1);
      assertThat(two().counters().streamErrors).isEqualTo(1);
    }
  }

  @Test
  void shouldTimeOutASilentPeer() throws Exception {
    try (TestDaemon hasty = TestDaemon.withStartupTimeout("10ms");
        Rddp program = hasty.connect("two");
        Listener awaits = program.listen(PORT)) {
      List<Engine> engines = hasty.daemon().engines();
      new RawTcpConnection(engines.get(0), "10.0.0.2", PORT, new byte[0], false).awaitClosed();
      TestDaemon.await(
          () -> engines.get(1).counters().startupErrors == 1, "the refusal is counted");
      assertThat(awaits.poll()).isNull();
    }
  }
}
