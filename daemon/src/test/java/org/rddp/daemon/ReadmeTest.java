package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.Rddp;
import org.rddp.example.HelloWrite;
import org.rddp.transfer.EchoServer;

/** Holds the README's program against the one that compiles, and runs it. */
@Timeout(60)
class ReadmeTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PROGRAM =
      Path.of("src/test/java/" + HelloWrite.class.getName().replace('.', '/') + ".java");

  @Test
  void shouldShowTheProgramThatCompiles() throws Exception {
    String source = Files.readString(PROGRAM);
    String body =
        source.substring(
            source.indexOf("// README: begin\n") + "// README: begin\n".length(),
            source.indexOf("    // README: end"));

    assertThat(Files.readString(ROOT.resolve("README.md"))).contains(body);
  }

  @Test
  void shouldWriteAndSendToTheEcho() throws Exception {
    InetSocketAddress echo = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7471);
    try (TestDaemon daemon = new TestDaemon();
        Rddp there = daemon.connect("two")) {
      Thread server = new Thread(() -> new EchoServer(there, 4096, line -> {}).serve(7471));
      server.start();
      String answer = null;
      while (answer == null) {
        try {
          answer = HelloWrite.run(daemon.socket(), echo, "hello, memory");
        } catch (ConnectionFailedException e) {
          assertThat(e).as("before the echo listens").hasMessageContaining("REFUSED");
        }
      }
      server.interrupt();
      server.join();

      assertThat(answer).isEqualTo("hello, memory");
    }
  }
}
