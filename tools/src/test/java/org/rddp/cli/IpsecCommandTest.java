package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.CounterReader;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;

/** {@code rddp ipsec} with a daemon whose interfaces send and receive in ESP only. */
@Timeout(120)
class IpsecCommandTest {
  private static final int PORT = 7471;
  private static final int ESP = 50;
  private static final int TCP = 6;
  private static final int OCTETS = 100_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String ONE = "10.0.0.1";
  private static final String TWO = TestDaemon.ADDRESS_TWO;
  private static final String KEYS = "00112233445566778899aabbccddeeff01020304";

  private final TestDaemon daemon = TestDaemon.withIpsec();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final SplittableRandom random = new SplittableRandom(1);
  @TempDir private Path folder;

  @AfterEach
  void stop() {
    here.close();
    there.close();
    daemon.close();
  }

  private String run(int expected, String... arguments) {
    StringWriter output = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(output)).setErr(new PrintWriter(output));
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--socket", daemon.socket().toString()));
    int code = line.execute(all.toArray(String[]::new));
    assertThat(code).as(output::toString).isEqualTo(expected);
    return output.toString();
  }

  /** Runs the command in a process of its own, with keys on its standard input. */
  private String add(String keys, int expected, String... options) throws Exception {
    List<String> all =
        new ArrayList<>(List.of("ipsec", "add", "--socket", daemon.socket().toString()));
    all.addAll(List.of(options));
    Path input = folder.resolve("keys");
    Files.writeString(input, keys);
    Process process =
        CommandProcess.of(all.toArray(String[]::new))
            .redirectInput(input.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isEqualTo(expected);
    assertThat(said.toLowerCase(java.util.Locale.ROOT)).doesNotContain("778899");
    return said;
  }

  private static SecurityAssociation association(int spi, String from, String to) {
    return new SecurityAssociation(
        spi, from, to, false, "aes128gcm16", true, 0, "", false, 0, 0, 0, 0, 0, 0);
  }

  /** Adds an association at both hosts, in place of an earlier one. */
  private void associate(int spi, String from, String to, int replaced) {
    byte[] keys = new byte[20];
    random.nextBytes(keys);
    // The receiver first, so that nothing comes that it cannot open.
    Rddp receiver = to.equals(TWO) ? there : here;
    Rddp sender = to.equals(TWO) ? here : there;
    receiver.securityAssociations().add(association(spi, from, to), 0, keys.clone());
    sender.securityAssociations().add(association(spi, from, to), replaced, keys.clone());
  }

  private long counter(String name) throws IOException {
    Map<String, Long> values = new HashMap<>();
    try (CounterReader counters = here.openCounters()) {
      counters.forEach(values::put);
    }
    return values.get(name);
  }

  private boolean isCounted(String name) {
    try {
      return counter(name) > 0;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void write(Connection connection, MemoryRegion source, MemoryRegion sink) {
    assertThat(connection.postWrite(1, source, 0, OCTETS, sink.stag(), 0)).isTrue();
    int done = 0;
    while (done == 0) {
      assertThat(here.await(TIMEOUT)).isTrue();
      done = here.poll(completion -> assertThat(completion.isSuccess()).isTrue(), 1);
    }
  }

  private void fill(MemoryRegion source) {
    for (int i = 0; i < OCTETS; i++) {
      source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
  }

  /** Waits until the sink holds what was written: a Write completes when it is sent. */
  private static void await(MemoryRegion source, MemoryRegion sink) {
    TestDaemon.await(
        () -> source.segment().asSlice(0, OCTETS).mismatch(sink.segment().asSlice(0, OCTETS)) < 0,
        "all is placed");
  }

  @Test
  void shouldCarryWritesInEspOnlyAndReplaceAssociationsMeanwhile() throws Exception {
    MemoryRegion source = here.allocate(OCTETS);
    MemoryRegion sink = there.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    Path capture = folder.resolve("wire.pcapng");
    CompletableFuture<String> captured =
        inThread(
            () -> run(0, "capture", "--interface", "one", "--count", "300", capture.toString()));
    Path plain = folder.resolve("plain.pcapng");
    CompletableFuture<String> shown =
        inThread(() ->
            run(0, "capture", "--plain", "--interface", "two", "--count", "300", plain.toString()));
    Listener listener = there.listen(PORT);
    CompletableFuture<Connection> accepted = inThread(() -> listener.await(TIMEOUT).accept());
    CompletableFuture<Connection> connected =
        inThread(() -> here.connect(new InetSocketAddress(TWO, PORT), PrivateData.NONE, TIMEOUT));
    TestDaemon.await(
        () -> isCounted("one.esp_unsent_without_association"),
        "a packet is not sent for want of keys");
    String[] ends = {"--source", ONE, "--destination", TWO, "--spi", "0x1001"};
    add(KEYS, 0, with(ends, "--interface", "two"));
    add(KEYS + "\n", 0, with(ends, "--interface", "one"));
    associate(0x1002, TWO, ONE, 0);
    try (Connection out = connected.join();
        Connection in = accepted.join()) {
      int spi = 0x2000;
      int last = 0x1001;
      int lastBack = 0x1002;
      for (int round = 0; round < 8; round++) {
        fill(source);
        write(out, source, sink);
        associate(++spi, ONE, TWO, last);
        last = spi;
        associate(++spi, TWO, ONE, lastBack);
        lastBack = spi;
        await(source, sink);
      }
      assertThat(in.isOpen() && out.isOpen()).isTrue();
      while (!captured.isDone() || !shown.isDone()) {
        write(out, source, sink);
      }
      write(out, source, sink);
      List<JsonObject> listed =
          run(0, "list", "associations", "--json", "--interface", "one")
              .lines()
              .map(line -> JsonParser.parseString(line).getAsJsonObject())
              .toList();
      assertThat(listed).filteredOn(each -> text(each, "direction").equals("out")).hasSize(1);
      assertThat(listed.getFirst().get("packets").getAsLong()).isPositive();
      assertThat(text(listed.getFirst(), "spi")).isEqualTo("0x%08x".formatted(last));
      assertThat(listed.getFirst().keySet().toString()).doesNotContain("key");
      out.abort();
    }
    captured.join();
    shown.join();
    Map<Integer, Integer> protocols = protocols(capture);
    assertThat(protocols).containsOnlyKeys(ESP);
    assertThat(protocols.get(ESP)).isGreaterThan(250);
    assertThat(protocols(plain)).containsOnlyKeys(TCP);
    assertThat(counter("one.esp_dropped_forged") + counter("two.esp_dropped_forged")).isZero();
    assertThat(counter("one.esp_dropped_clear") + counter("two.esp_dropped_clear")).isZero();
  }

  /** The protocols of a capture's packets of IPv4, and how many have each. */
  private static Map<Integer, Integer> protocols(Path capture) throws IOException {
    Map<Integer, Integer> protocols = new HashMap<>();
    for (PcapngFile.Block frame : PcapngFile.read(capture).of(PcapngFile.PACKET)) {
      if (frame.body().getShort(20 + 12) == 0x0008) {
        protocols.merge(frame.body().get(20 + 14 + 9) & 0xff, 1, Integer::sum);
      }
    }
    return protocols;
  }

  private static <T> CompletableFuture<T> inThread(Supplier<T> action) {
    return CompletableFuture.supplyAsync(action, each -> Thread.ofPlatform().start(each));
  }

  private static String text(JsonObject json, String key) {
    return json.get(key).getAsString();
  }

  private static String[] with(String[] options, String... more) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void shouldRefuseUsedKeysAndDeleteOnce() throws Exception {
    String[] ends = {
      "--source", ONE, "--destination", TWO, "--spi", "0x1001", "--interface", "one"
    };
    add(KEYS, 0, ends);
    assertThat(add(KEYS.replace('0', '7'), 1, ends)).contains("SPI 0x00001001 already");
    assertThat(run(0, "ipsec", "list")).contains("0x00001001", "transport", "10.0.0.2/32", "live");
    run(0, "ipsec", "delete", "--spi", "0x1001", "--destination", TWO);
    assertThat(run(1, "ipsec", "delete", "--spi", "0x1001", "--destination", TWO))
        .contains("there is no association 0x00001001 to 10.0.0.2");
    assertThat(add(KEYS, 1, ends)).contains("these keys were used before");
    assertThat(run(0, "ipsec", "list", "--json")).isEmpty();
  }

  @Test
  void shouldSayWhatIsWrong() {
    Map<String, String> refusals = new LinkedHashMap<>();
    refusals.put("--spi 0x10 --source 10.0.0.1 --destination 10.0.0.2", "an SPI is 256");
    refusals.put("--spi 256 --source 10.0.0.1 --destination 10.0.0", "destination is an address");
    refusals.put("--spi 256 --source 10.0.0.8 --destination 10.0.0.9", "must be the interface's");
    refusals.put(
        "--spi 256 --source 10.0.0.1 --destination 10.0.0.2 --algorithms des",
        "one of aes128gcm16");
    refusals.put(
        "--spi 256 --source 10.0.0.1 --destination 10.0.0.2 --remote x/y", "remote is an address");
    refusals.put("--spi 256 --source 10.0.0.1 --destination 10.0.0.2 --window 3", "32 to 65536");
    refusals.put(
        "--spi 256 --source 10.0.0.1 --destination 10.0.0.2 --soft-seconds 9 --hard-seconds 3",
        "not greater than a hard one");
    refusals.put(
        "--spi 256 --source 10.0.0.1 --destination 10.0.0.2 --mode tunnel --replace 300",
        "there is no association 0x0000012c");
    refusals.forEach((options, expected) -> {
      byte[] keys = HexFormat.of().parseHex(KEYS);
      assertThat(addHere(options.split(" "), keys)).as(options).contains(expected);
      assertThat(keys).as("wiped").containsOnly(0);
    });
    String[] right =
        "--spi 256 --source 10.0.0.1 --destination 10.0.0.2 --algorithms null-sha1 --no-esn"
            .split(" ");
    assertThat(addHere(right, HexFormat.of().parseHex(KEYS))).isEmpty();
  }

  /** Adds an association as the command does; returns the refusal, or nothing. */
  private String addHere(String[] options, byte[] keys) {
    IpsecCommand command = new IpsecCommand();
    CommandLine line = new CommandLine(command);
    line.parseArgs(with(options, "add"));
    try {
      here.securityAssociations().add(command.association(), command.replaced(), keys);
      return "";
    } catch (RefusedException e) {
      return e.getMessage();
    }
  }

  @Test
  void shouldNameWhatIsMissing() {
    assertThat(run(2, "ipsec", "add")).contains("add needs --spi, --source and --destination");
    assertThat(run(2, "ipsec", "delete", "--spi", "300")).contains("delete needs");
    assertThat(run(2, "ipsec", "add", "--spi", "x")).contains("'x' is no SPI");
  }

  @Test
  void shouldRefuseAnInterfaceWithoutPolicy() {
    try (TestDaemon plain = new TestDaemon();
        Rddp session = plain.connect("one")) {
      assertThatThrownBy(
              () -> session.securityAssociations().add(association(256, ONE, TWO), 0, new byte[20]))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("needs [interface.ipsec]");
    }
  }
}
