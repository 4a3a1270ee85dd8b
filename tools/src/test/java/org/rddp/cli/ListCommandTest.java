package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;

/** {@code rddp list} with a daemon that has two programs with a connection between them. */
@Timeout(60)
class ListCommandTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int PORT = 7471;
  private static final int OCTETS = 3000;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private Connection out;
  private Connection in;

  @BeforeEach
  void connect() {
    Listener listener = there.listen(PORT);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    InetSocketAddress two = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
    out = here.connect(two, PrivateData.NONE, TIMEOUT);
    in = accepted.join();
  }

  @AfterEach
  void stop() {
    here.close();
    there.close();
    daemon.close();
  }

  private String run(String... arguments) {
    StringWriter output = new StringWriter();
    StringWriter errors = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(output)).setErr(new PrintWriter(errors));
    String all = String.join(" ", arguments) + " --socket " + daemon.socket();
    assertThat(line.execute(all.split(" "))).as(errors::toString).isZero();
    return output.toString();
  }

  private List<JsonObject> json(String... arguments) {
    return run(arguments)
        .lines()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .toList();
  }

  private JsonObject only(String interfaceName) {
    List<JsonObject> found = json("list connections --json --interface", interfaceName);
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  /** One message from here to there, whose completion has been polled at both ends. */
  private void send() {
    MemoryRegion source = here.allocate(OCTETS);
    MemoryRegion sink = there.allocate(OCTETS, Access.LOCAL_WRITE);
    assertThat(in.postReceive(1, sink, 0, OCTETS)).isTrue();
    assertThat(in.postReceive(2, sink, 0, OCTETS)).isTrue();
    assertThat(out.postSend(3, source, 0, OCTETS)).isTrue();
    int[] completions = new int[2];
    TestDaemon.await(
        () -> {
          completions[0] += here.poll(completion -> {}, 1);
          completions[1] += there.poll(completion -> {}, 1);
          return completions[0] == 1 && completions[1] == 1;
        },
        "the message has been sent and received");
  }

  @Test
  void shouldShowBothEndsOfAConnection() {
    send();
    JsonObject initiator = only("one");
    JsonObject responder = only("two");
    assertThat(initiator.get("state").getAsString()).isEqualTo("established");
    assertThat(initiator.get("initiator").getAsBoolean()).isTrue();
    assertThat(responder.get("initiator").getAsBoolean()).isFalse();
    assertThat(initiator.get("remote_address").getAsString()).isEqualTo(TestDaemon.ADDRESS_TWO);
    assertThat(initiator.get("remote_port").getAsInt()).isEqualTo(PORT);
    assertThat(responder.get("local_port").getAsInt()).isEqualTo(PORT);
    assertThat(responder.get("remote_port")).isEqualTo(initiator.get("local_port"));
    assertThat(initiator.get("protocol").getAsString()).isEqualTo("rdmap");
    assertThat(initiator.get("crc").getAsBoolean()).isTrue();
    assertThat(initiator.get("markers_sent").getAsBoolean()).isFalse();
    assertThat(initiator.get("ird").getAsInt()).isEqualTo(16);
    assertThat(initiator.get("ord").getAsInt()).isEqualTo(1);
    assertThat(initiator.get("pid").getAsLong()).isEqualTo(ProcessHandle.current().pid());
    assertThat(initiator.get("program").getAsString()).isEqualTo("test");
  }

  @Test
  void shouldCountWhatAConnectionSendsAndReceives() {
    send();
    JsonObject sender = only("one");
    JsonObject receiver = only("two");
    assertThat(sender.get("sent_messages").getAsInt()).isOne();
    assertThat(sender.get("in_flight_messages").getAsInt()).isZero();
    assertThat(sender.get("sent_octets").getAsLong()).isGreaterThan(OCTETS);
    assertThat(receiver.get("received_octets")).isEqualTo(sender.get("sent_octets"));
    assertThat(receiver.get("received_messages").getAsInt()).isOne();
    assertThat(receiver.get("posted_receives").getAsInt()).isOne();
    assertThat(sender.get("rtt_ns").getAsLong()).isPositive();
    assertThat(sender.get("congestion_window_octets").getAsLong()).isGreaterThan(OCTETS);
    assertThat(sender.get("send_window_octets").getAsLong()).isGreaterThan(OCTETS);
    assertThat(receiver.get("receive_window_octets").getAsLong()).isGreaterThan(OCTETS);
    assertThat(sender.get("retransmitted_segments").getAsInt()).isZero();
    assertThat(sender.get("last_error").getAsString()).isEmpty();
  }

  @Test
  void shouldShowSessionsWithWhatTheyHave() {
    MemoryRegion region = here.allocate(4096, Access.LOCAL_WRITE);
    List<JsonObject> sessions = json("list sessions --json");
    assertThat(sessions)
        .extracting(session -> session.get("program").getAsString())
        .containsExactly("test", "test", "rddp list");
    JsonObject first = sessions.getFirst();
    assertThat(first.get("interface").getAsString()).isEqualTo("one");
    assertThat(first.get("state").getAsString()).isEqualTo("open");
    assertThat(first.get("connections").getAsInt()).isOne();
    assertThat(first.get("regions").getAsInt()).isOne();
    assertThat(first.get("memory_octets").getAsLong()).isGreaterThanOrEqualTo(region.length());
    assertThat(sessions.get(1).get("listeners").getAsInt()).isOne();
  }

  @Test
  void shouldShowListeners() {
    List<JsonObject> listeners = json("list listeners --json");
    assertThat(listeners).hasSize(1);
    JsonObject listener = listeners.getFirst();
    assertThat(listener.get("address").getAsString()).isEqualTo("::");
    assertThat(listener.get("port").getAsInt()).isEqualTo(PORT);
    assertThat(listener.get("backlog").getAsInt()).isEqualTo(128);
    assertThat(listener.get("requested").getAsInt()).isOne();
    assertThat(listener.get("waiting").getAsInt()).isZero();
  }

  @Test
  void shouldShowInterfacesWithTheirAddresses() {
    List<JsonObject> interfaces = json("list interfaces --json");
    assertThat(interfaces)
        .extracting(each -> each.get("interface").getAsString())
        .containsExactly("one", "two");
    JsonObject two = json("list interfaces --json --interface two").getFirst();
    assertThat(two).isEqualTo(interfaces.get(1));
    assertThat(two.getAsJsonArray("addresses").asList())
        .extracting(JsonElement::getAsString)
        .satisfiesExactly(
            ipv4 -> assertThat(ipv4).isEqualTo(TestDaemon.ADDRESS_TWO),
            ipv6 -> assertThat(ipv6).isEqualTo(TestDaemon.IPV6_TWO),
            linkLocal -> assertThat(linkLocal).startsWith("fe80::"));
    assertThat(two.get("ipv4_prefix").getAsInt()).isEqualTo(24);
    assertThat(two.has("ipv4_gateway")).isFalse();
    assertThat(two.get("mtu").getAsInt()).isEqualTo(1500);
    assertThat(two.get("mac").getAsString()).matches("([0-9a-f]{2}:){5}[0-9a-f]{2}");
    assertThatThrownBy(() -> run("list interfaces --interface nope"))
        .hasMessageContaining("no interface nope; the daemon's interfaces: one, two");
    assertThat(run("list interfaces").lines())
        .hasSize(3)
        .anyMatch(
            line -> line.matches("two +10\\.0\\.0\\.2 2001:db8::2 fe80::\\S+ +- +1500 +\\S+"));
  }

  @Test
  void shouldShowTablesToPeople() {
    assertThat(run("list connections").lines())
        .hasSize(3)
        .anyMatch(line -> line.matches("%08x +test .*:7471 +established .*".formatted(out.id())));
    assertThat(run("list connections --wide").lines())
        .hasSize(3)
        .anyMatch(line ->
            line.matches(
                " *\\d+ +%08x .* one +10\\.0\\.0\\.1:\\d+ +10\\.0\\.0\\.2:7471 +established .*"
                    .formatted(out.id())));
    assertThat(run("list sessions").lines()).hasSize(4);
    assertThat(run("list listeners").lines()).hasSize(2).anyMatch(line -> line.contains(":7471"));
  }

  @Test
  void shouldFitConnectionsInto120Columns() {
    JsonObject longest = only("one");
    longest.addProperty("program", "fifteen-letters");
    for (String end : List.of("local", "remote")) {
      longest.addProperty(end + "_address", "100.100.100.100");
      longest.addProperty(end + "_port", 65535);
    }
    longest.addProperty("rtt_ns", 99_900_000);
    longest.addProperty("sent_octets", 1023L << 30);
    longest.addProperty("received_octets", 1023L << 30);
    assertThat(TextTable.CONNECTIONS.lines(List.of(longest)))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
  }

  @Test
  void shouldShowDistinctErrorsWithAnExample() {
    assertThat(run("errors")).isEqualTo("no errors\n");
    for (int port : new int[] {1111, 2222, 3333}) {
      InetSocketAddress nobody = new InetSocketAddress(TestDaemon.ADDRESS_TWO, port);
      assertThatThrownBy(() -> here.connect(nobody, PrivateData.NONE, TIMEOUT))
          .isInstanceOf(ConnectionFailedException.class);
    }
    assertThatThrownBy(() -> here.allocate(1L << 60)).isInstanceOf(RefusedException.class);
    List<JsonObject> errors = json("errors --json");
    assertThat(errors)
        .extracting(error -> error.get("topic").getAsString())
        .containsExactly("connection", "request");
    JsonObject refused = errors.getFirst();
    assertThat(refused.get("count").getAsInt()).isEqualTo(3);
    assertThat(refused.get("peer").getAsString()).isEqualTo(TestDaemon.ADDRESS_TWO + ":3333");
    assertThat(refused.get("local").getAsString()).startsWith("10.0.0.1:");
    assertThat(refused.get("interface").getAsString()).isEqualTo("one");
    assertThat(refused.get("session").getAsInt()).isOne();
    assertThat(Instant.parse(refused.get("first").getAsString()))
        .isBeforeOrEqualTo(Instant.parse(refused.get("last").getAsString()));
    assertThat(run("errors").lines()).hasSize(3).anyMatch(line -> line.matches(" +3  .*:3333 .*"));
    assertThat(json("errors --json --interface two")).isEmpty();
  }

  @Test
  void shouldSayWhatCanBeListed() {
    StringWriter errors = new StringWriter();
    CommandLine line = Main.commandLine().setErr(new PrintWriter(errors));
    assertThat(line.execute("list", "nonsense")).isEqualTo(2);
    assertThat(errors.toString())
        .containsIgnoringCase("interfaces, sessions, connections, listeners, associations");
  }

  @Test
  void shouldNameWhatCanBeListed() {
    StringWriter errors = new StringWriter();
    CommandLine line = Main.commandLine().setErr(new PrintWriter(errors));
    assertThat(line.execute("list")).isEqualTo(2);
    assertThat(errors.toString())
        .contains(
            "Missing required parameter: 'interfaces|sessions|connections|listeners|associations|tenants'");
  }
}
