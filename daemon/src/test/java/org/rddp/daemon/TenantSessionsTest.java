package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.metrics.DaemonMetrics;

/** Sessions of two users who are different tenants. */
@Timeout(60)
class TenantSessionsTest {
  private static final int NOBODY = 65534;
  private static final int PORT = 7471;
  private static final int OCTETS = 100_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final String TABLES =
      """
      mode = "0666"
      [[limits.tenant]]
      name = "operators"
      users = [0]
      weight = 9
      [[limits.tenant]]
      weight = 2
      rate = "10Gbit/s"
      """;

  private final TestDaemon daemon = new TestDaemon(TABLES);
  private Rddp ours;
  private Rddp theirs;
  private Connection out;
  private Connection in;

  @BeforeEach
  void connect() throws Exception {
    Files.setPosixFilePermissions(
        daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
    ours = daemon.connect("one");
    theirs = OtherUser.call(NOBODY, NOBODY, () -> daemon.connect("two"));
    Listener listener = theirs.listen(PORT);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    InetSocketAddress two = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
    out = ours.connect(two, PrivateData.NONE, TIMEOUT);
    in = accepted.join();
  }

  @AfterEach
  void close() {
    ours.close();
    theirs.close();
    daemon.close();
  }

  private static List<JsonObject> tenants(Rddp viewer) {
    return viewer.list(ListSubject.TENANTS).stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .toList();
  }

  /** A number of a tenant on the engine of an interface. */
  private long of(String tenant, String engine, String key) {
    return tenants(ours).stream()
        .filter(each -> each.get("tenant").getAsString().equals(tenant))
        .filter(each -> each.get("engine").getAsString().equals(engine))
        .mapToLong(each -> each.get(key).getAsLong())
        .sum();
  }

  @Test
  void shouldChargeWritesAndAnswersToReadsToWhoSendsThem() {
    MemoryRegion source = ours.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_READ);
    MemoryRegion sink = theirs.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    assertThat(out.postWrite(1, source, 0, OCTETS, sink.stag(), sink.baseTo())).isTrue();
    ConnectedPrograms.completions(ours, 1);
    assertThat(of("operators", "one", "sent_octets")).isBetween((long) OCTETS, 2L * OCTETS);
    assertThat(in.postRead(2, sink, 0, OCTETS, source.stag(), source.baseTo())).isTrue();
    ConnectedPrograms.completions(theirs, 1);
    assertThat(of("operators", "one", "sent_octets")).isBetween(2L * OCTETS, 3L * OCTETS);
    assertThat(of("65534", "two", "sent_octets")).isBetween(1L, (long) OCTETS);
    assertThat(of("65534", "one", "sent_octets")).isZero();
  }

  @Test
  void shouldChargeOctetStreamsToTheirUser() throws Exception {
    long before = of("operators", "one", "sent_octets");
    try (StreamSession here = StreamSession.open(daemon.socket(), "test");
        StreamSession there =
            OtherUser.call(NOBODY, NOBODY, () -> StreamSession.open(daemon.socket(), "test"));
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", PORT), 8, 0)) {
      InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
      ProgramStream client =
          here.connect(to, InetAddress.getByName(TestDaemon.ADDRESS_ONE), 0, TIMEOUT);
      ProgramStream server = listener.accept(TIMEOUT);
      client.awaitConnected();
      TestDaemon.await(() -> of("65534", "two", "connections") == 2, "the stream is counted");
      client.write(new byte[1000]);
      byte[] read = new byte[1000];
      int got = 0;
      while (got < read.length) {
        int more = server.read(read, got, read.length - got);
        assertThat(more).isPositive();
        got += more;
      }
      assertThat(of("operators", "one", "sent_octets")).isGreaterThanOrEqualTo(before + 1000);
      client.close();
      server.close();
    }
    TestDaemon.await(() -> of("65534", "two", "connections") == 1, "the stream has ended");
  }

  @Test
  void shouldListTenantsAndShowOthersTheirOwn() {
    assertThat(tenants(ours))
        .extracting(
            each -> each.get("engine").getAsString() + " " + each.get("tenant").getAsString())
        .containsExactly("one operators", "two operators", "two 65534");
    assertThat(tenants(theirs)).hasSize(1);
    TestDaemon.await(() -> of("65534", "two", "connections") == 1, "the connection is counted");
    JsonObject listed = tenants(theirs).getFirst();
    assertThat(listed.get("users").getAsJsonArray()).hasSize(1);
    assertThat(listed.get("weight").getAsInt()).isEqualTo(2);
    assertThat(listed.get("rate_bits_per_second").getAsLong()).isEqualTo(10_000_000_000L);
    assertThat(listed.get("connections").getAsInt()).isOne();
    assertThat(daemon.log())
        .contains("tenant operators has a share of each interface: weight 9")
        .contains("each other user has a share of each interface: weight 2, at most 10 Gbit/s");
  }

  @Test
  void shouldServeMetricsOfTenants() throws Exception {
    try (TestDaemon measured = new TestDaemon(TABLES + "[metrics]\nlisten = \"0\"\n")) {
      assertThat(measured.daemon().engines()).hasSize(2);
      DaemonMetrics metrics =
          new DaemonMetrics(new org.rddp.daemon.control.Statistics(), measured.daemon().engines());
      assertThat(metrics.collect().stream().map(each -> each.getMetadata().getName()))
          .contains("rddp_tenant_sent_bytes", "rddp_tenant_held_seconds", "rddp_tenant_lent_bytes");
    }
  }

  @Test
  void shouldHaveTenantsOnAnEngineThatBeginsAnew() {
    daemon.breakQueue(0, 100);
    TestDaemon.await(
        () -> daemon.log().contains("begins anew; its sessions end"), "the engine begins anew");
    try (Rddp again = daemon.connect("one");
        Listener listener = theirs.listen(PORT + 1)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      InetSocketAddress two = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT + 1);
      Connection opened = again.connect(two, PrivateData.NONE, TIMEOUT);
      accepted.join();
      // The engine may count it after the program knows of it.
      TestDaemon.await(
          () ->
              again.list(ListSubject.TENANTS).stream()
                  .map(line -> JsonParser.parseString(line).getAsJsonObject())
                  .filter(each -> each.get("engine").getAsString().equals("one"))
                  .map(each -> each.get("connections").getAsLong())
                  .toList()
                  .equals(List.of(1L)),
          "the tenant of the engine has a connection");
      opened.abort();
    }
  }
}
