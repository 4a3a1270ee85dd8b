package org.rddp.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.DdpQueues;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.SendFlags;
import org.rddp.daemon.TestDaemon;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.transfer.EchoServer;

/** Compares the programs in the documents with those that compile, and runs them. */
@Timeout(60)
class ReadmeTest {
  private static final Path ROOT = Path.of("..");
  private static final Path CLIENT = ROOT.resolve("client/target/classes");
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @Test
  void shouldContainTheProgramsThatCompile() throws Exception {
    assertThat(Files.readString(ROOT.resolve("docs/plain-ddp.md")))
        .contains(shown(OwnQueues.class, "plain-ddp"));
  }

  @Test
  void shouldContainAValidConfiguration() throws Exception {
    String document = Files.readString(ROOT.resolve("docs/demo.md"));
    int begin = document.indexOf("    [dpdk]\n");
    String text = document.substring(begin, document.indexOf("\nand then", begin)).stripIndent();
    Configuration configuration = ConfigurationFile.parse("demo.md", text);
    assertThat(configuration.interfaces())
        .extracting(each -> each.name() + " " + each.device())
        .containsExactly("one ring:try", "two ring:try");
  }

  /** The part of a program's source that a document contains. */
  private static String shown(Class<?> program, String document) throws IOException {
    Path file = Path.of("src/test/java/" + program.getName().replace('.', '/') + ".java");
    String source = Files.readString(file);
    String begin = "// " + document + ": begin\n";
    return source.substring(
        source.indexOf(begin) + begin.length(), source.indexOf("    // " + document + ": end"));
  }

  @Test
  void shouldRunTheProgramOfTheReadme(@TempDir Path folder) throws Exception {
    String document = Files.readString(ROOT.resolve("README.md"));
    int begin = document.indexOf("    import java.");
    String program = document.substring(begin, document.indexOf("\n\nStart the echo", begin));
    Path source = folder.resolve("Hello.java");
    Files.writeString(source, program.stripIndent());
    CountDownLatch listens = new CountDownLatch(1);
    try (TestDaemon daemon = new TestDaemon();
        Rddp there = daemon.connect("two")) {
      EchoServer echo = new EchoServer(there, 4096, line -> listens.countDown());
      Thread server = new Thread(() -> echo.serve(7471));
      server.start();
      listens.await();
      assertThat(run(source, daemon.socket(), TestDaemon.ADDRESS_TWO, "a text"))
          .isEqualTo("a text\n");
      server.interrupt();
      server.join();
    }
  }

  /** Runs a source file as the README says, with the client's classes alone; what it prints. */
  private static String run(Path source, Path socket, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", CLIENT.toString()));
    command.add(source.toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("RDDP_SOCKET", socket.toString());
    Process process = builder.start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }

  @Test
  void shouldRunTheProgramOfPlainDdp() throws Exception {
    InetSocketAddress address = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7471);
    ConnectionOptions options = ConnectionOptions.plainDdp(16, 1);
    try (TestDaemon daemon = new TestDaemon();
        Rddp there = daemon.connect("two");
        MemoryRegion memory = there.allocate(4096, Access.LOCAL_WRITE);
        Listener listener = there.listen(new InetSocketAddress(7471), 1, options)) {
      CompletableFuture<String> answer =
          CompletableFuture.supplyAsync(
              () -> OwnQueues.run(daemon.socket(), address, "wie geht's, Jürgen?"));
      IncomingConnection incoming = listener.await(TIMEOUT);
      DdpQueues ddp = incoming.connection().ddp();
      assertThat(ddp.postReceive(0, 1, memory, 0, 4096)).isTrue();
      Connection connection = incoming.accept();
      TestDaemon.await(
          () ->
              there.poll(
                      completion ->
                          assertThat(
                                  ddp.postUntagged(
                                      1,
                                      2,
                                      memory,
                                      0,
                                      completion.octets(),
                                      completion.rsvdUlp() + 1,
                                      SendFlags.SIGNALLED))
                              .isTrue(),
                      1)
                  == 1,
          "the question comes");
      connection.disconnect();

      assertThat(answer.get()).isEqualTo("1/10000002b wie geht's, Jürgen?");
    }
  }
}
