package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;

/** {@code rddp capture} with a daemon whose programs write into each other's memory. */
@Timeout(60)
class CaptureCommandTest {
  private static final int PORT = 7471;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int COMMENT = 1;
  private static final int IF_NAME = 2;
  private static final int IF_FILTER = 11;
  private static final int EPB_FLAGS = 2;
  private static final int ISB_IFRECV = 4;
  private static final int ISB_IFDROP = 5;
  private static final int ISB_FILTERACCEPT = 6;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion source = here.allocate(1 << 20);
  private final MemoryRegion sink =
      there.allocate(1 << 20, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @AfterEach
  void stop() {
    here.close();
    there.close();
    daemon.close();
  }

  private int run(List<String> arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return line.execute(
        Stream.concat(
                Stream.of("capture", "--socket", daemon.socket().toString()), arguments.stream())
            .toArray(String[]::new));
  }

  /** Runs the command, and lets programs write until it ends. */
  private int captureWrites(int octets, String... arguments) {
    CompletableFuture<Integer> command =
        CompletableFuture.supplyAsync(
            () -> run(List.of(arguments)), action -> Thread.ofPlatform().start(action));
    TestDaemon.await(() -> command.isDone() || !out.toString().isEmpty(), "the capture runs");
    try (Listener listener = there.listen(PORT)) {
      try (Connection connection = connect(listener)) {
        while (!command.isDone()) {
          write(connection, octets);
        }
        connection.abort();
      }
    }
    return command.join();
  }

  private void write(Connection connection, int octets) {
    assertThat(connection.postWrite(1, source, 0, octets, sink.stag(), 0)).isTrue();
    int done = 0;
    while (done == 0) {
      assertThat(here.await(TIMEOUT)).isTrue();
      done = here.poll(completion -> assertThat(completion.isSuccess()).isTrue(), 1);
    }
  }

  @Test
  void shouldWritePcapngWithNameCommentDirectionsAndStatistics() throws IOException {
    Path file = folder.resolve("all.pcapng");
    int code =
        captureWrites(
            5000, "--interface", "one", "--count", "50", "--comment", "a test", file.toString());
    assertThat(code).as(err::toString).isZero();

    PcapngFile capture = PcapngFile.read(file);
    assertThat(capture.blocks().getFirst().text(COMMENT)).isEqualTo("a test");
    assertThat(capture.of(PcapngFile.INTERFACE).getFirst().text(IF_NAME)).isEqualTo("one");
    List<PcapngFile.Block> frames = capture.of(PcapngFile.PACKET);
    assertThat(frames).hasSizeGreaterThanOrEqualTo(50);
    assertThat(frames.stream().map(frame -> (int) frame.options().get(EPB_FLAGS)[0]))
        .contains(1, 2);
    PcapngFile.Block statistics = capture.blocks().getLast();
    assertThat(statistics.number(ISB_IFRECV)).isEqualTo(frames.size());
    assertThat(statistics.number(ISB_IFDROP)).isZero();
    assertThat(out.toString()).contains(frames.size() + " frames, 0 left out");
  }

  @Test
  void shouldWriteOnlyFramesThatMatchTheFilterAndCutThem() throws IOException {
    Path file = folder.resolve("some.pcapng");
    String filter = "tcp dst port " + PORT + " and greater 1000";
    int code =
        captureWrites(
            5000,
            "--interface",
            "two",
            "--count",
            "20",
            "--filter",
            filter,
            "--snaplen",
            "64",
            file.toString());
    assertThat(code).as(err::toString).isZero();

    PcapngFile capture = PcapngFile.read(file);
    assertThat(capture.of(PcapngFile.INTERFACE).getFirst().text(IF_FILTER))
        .isEqualTo("\0" + filter);
    List<PcapngFile.Block> frames = capture.of(PcapngFile.PACKET);
    assertThat(frames)
        .hasSizeGreaterThanOrEqualTo(20)
        .allSatisfy(frame -> {
          assertThat(frame.body().getInt(12)).isEqualTo(64);
          assertThat(frame.body().getInt(16)).isGreaterThanOrEqualTo(1000);
          assertThat(frame.options().get(EPB_FLAGS)[0]).isEqualTo((byte) 1);
        });
    PcapngFile.Block statistics = capture.blocks().getLast();
    assertThat(statistics.number(ISB_FILTERACCEPT)).isEqualTo(frames.size());
    assertThat(statistics.number(ISB_IFRECV)).isGreaterThan(frames.size());
    assertThat(out.toString()).contains(" did not match the filter");
  }

  @Test
  void shouldWriteOnlyFramesOfOneConnection() throws IOException {
    Path file = folder.resolve("one.pcapng");
    try (Listener listener = there.listen(PORT)) {
      Connection chosen = connect(listener);
      Connection other = connect(listener);
      CompletableFuture<Integer> command =
          CompletableFuture.supplyAsync(
              () ->
                  run(
                      List.of(
                          "--connection",
                          "%08x@%d".formatted(chosen.id(), ProcessHandle.current().pid()),
                          "--interface",
                          "one",
                          "--count",
                          "20",
                          file.toString())),
              action -> Thread.ofPlatform().start(action));
      TestDaemon.await(() -> command.isDone() || !out.toString().isEmpty(), "the capture runs");
      while (!command.isDone()) {
        write(other, 100);
        write(chosen, 100);
      }
      assertThat(command.join()).as(err::toString).isZero();

      int port = chosen.localAddress().getPort();
      assertThat(PcapngFile.read(file).of(PcapngFile.PACKET))
          .hasSizeGreaterThanOrEqualTo(20)
          .allMatch(frame -> port(frame, 34) == port || port(frame, 36) == port);
      assertThat(run(List.of("--connection", "ffffffff", file.toString()))).isEqualTo(1);
      assertThat(err.toString()).contains("one has no connection ffffffff");
      assertThat(run(List.of("--connection", "what", file.toString()))).isEqualTo(2);
      chosen.abort();
      other.abort();
    }
  }

  /** A port of a frame: of TCP behind Ethernet and an IPv4 header of 20 octets. */
  private static int port(PcapngFile.Block frame, int offset) {
    return Short.toUnsignedInt(Short.reverseBytes(frame.body().getShort(20 + offset)));
  }

  private Connection connect(Listener listener) {
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    Connection connection =
        here.connect(new InetSocketAddress("10.0.0.2", PORT), PrivateData.NONE, TIMEOUT);
    accepted.join();
    return connection;
  }

  @Test
  void shouldExplainAFilterThatLibpcapDoesNotUnderstand() {
    assertThat(run(List.of("--filter", "tcp prt 5", "never.pcapng"))).isEqualTo(2);
    assertThat(err.toString()).contains("--filter 'tcp prt 5': ").contains("syntax error");
  }

  @Test
  void shouldGoOnInAnotherFileAndKeepTheNewest() throws IOException {
    int code =
        captureWrites(
            20_000,
            "--count",
            "200",
            "--rotate-size",
            "50KiB",
            "--files",
            "2",
            folder.resolve("ring.pcapng").toString());
    assertThat(code).as(err::toString).isZero();

    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.sorted().toList();
    }
    assertThat(files).hasSize(2);
    assertThat(files.getFirst().getFileName().toString()).matches("ring-\\d{5}\\.pcapng");
    PcapngFile whole = PcapngFile.read(files.getFirst());
    assertThat(Files.size(files.getFirst())).isBetween(50L << 10, 52L << 10);
    assertThat(whole.blocks().getFirst().type()).isEqualTo(PcapngFile.SECTION);
    assertThat(whole.blocks().getLast().type()).isEqualTo(PcapngFile.STATISTICS);
    assertThat(out.toString()).containsPattern(" frames in \\d+ files, 0 left out");
  }

  @Test
  void shouldGoOnInAnotherFileAfterSomeTime() throws IOException {
    int code =
        captureWrites(
            100,
            "--seconds",
            "2",
            "--rotate-seconds",
            "1",
            folder.resolve("timed.pcapng").toString());
    assertThat(code).as(err::toString).isZero();

    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.sorted().toList();
    }
    assertThat(files).hasSizeGreaterThanOrEqualTo(2);
    assertThat(files.getFirst().getFileName().toString()).isEqualTo("timed-00001.pcapng");
    for (Path file : files) {
      assertThat(PcapngFile.read(file).blocks().getLast().type()).isEqualTo(PcapngFile.STATISTICS);
    }
    assertThat(out.toString()).contains(" frames in " + files.size() + " files");
  }

  @Test
  void shouldSayWhatItLeftOut() throws IOException {
    Path file = folder.resolve("slow.pcapng");
    int code = captureWrites(500_000, "--buffer", "4KiB", "--count", "100", file.toString());
    assertThat(code).as(err::toString).isZero();

    PcapngFile capture = PcapngFile.read(file);
    PcapngFile.Block statistics = capture.blocks().getLast();
    int frames = capture.of(PcapngFile.PACKET).size();
    long dropped = statistics.number(ISB_IFDROP);
    assertThat(dropped).isPositive();
    assertThat(statistics.number(ISB_IFRECV)).isEqualTo(frames + dropped);
    assertThat(capture.of(PcapngFile.PACKET))
        .anySatisfy(
            frame -> assertThat(frame.text(COMMENT)).contains("frames were left out about here"));
    assertThat(out.toString()).contains(dropped + " left out because the ring was full");
  }

  @Test
  void shouldWriteToStandardOutputWhileItRuns() throws Exception {
    Process process =
        CommandProcess.of("capture", "-", "--socket", daemon.socket().toString()).start();
    try (InputStream pipe = process.getInputStream()) {
      byte[] head = pipe.readNBytes(4);
      assertThat(head).isEqualTo(new byte[] {0x0a, 0x0d, 0x0d, 0x0a});
      BufferedReader messages = process.errorReader();
      String line = messages.readLine();
      while (line != null && !line.contains("capturing one into -")) {
        line = messages.readLine();
      }
      // Unlike Process.destroy(), this leaves the pipe open.
      process.toHandle().destroy();
      byte[] rest = pipe.readAllBytes();
      assertThat(process.waitFor()).isEqualTo(143);
      assertThat(messages.lines()).anyMatch(last -> last.contains(" 0 left out"));
      byte[] all = new byte[head.length + rest.length];
      System.arraycopy(head, 0, all, 0, head.length);
      System.arraycopy(rest, 0, all, head.length, rest.length);
      assertThat(PcapngFile.read(all).blocks().getLast().type()).isEqualTo(PcapngFile.STATISTICS);
    }
  }

  @Test
  void shouldRefuseOptionsThatDoNotFit() {
    assertThat(run(List.of("--rotate-size", "1MiB", "-"))).isEqualTo(2);
    assertThat(run(List.of("--files", "3", "x.pcapng"))).isEqualTo(2);
    assertThat(run(List.of("--buffer", "5000", "x.pcapng"))).isEqualTo(2);
    assertThat(run(List.of("--snaplen", "0", "x.pcapng"))).isEqualTo(2);
    assertThat(err.toString())
        .contains("standard output cannot be rotated")
        .contains("--files needs --rotate-size or --rotate-seconds")
        .contains("--buffer is a power of two from 4KiB to 1GiB, not 5000")
        .contains("--snaplen is 1 to 65535, not 0");
  }
}
