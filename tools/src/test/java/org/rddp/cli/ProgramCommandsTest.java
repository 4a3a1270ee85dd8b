package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.daemon.TestDaemon;
import picocli.CommandLine;

/** Commands that open a session with a daemon. */
@Timeout(60)
class ProgramCommandsTest {
  private final TestDaemon daemon = new TestDaemon();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @AfterEach
  void stop() {
    daemon.close();
  }

  private int run(String command, Object... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String all = command + " --socket " + daemon.socket();
    for (Object argument : arguments) {
      all += " " + argument;
    }
    return line.execute(all.split(" "));
  }

  @Test
  void shouldShowTheCountersOfTheChosenInterface() {
    assertThat(run("stat", "--once", "--all", "--interface", "two")).isZero();
    assertThat(out.toString().lines()).isNotEmpty().allMatch(line -> line.startsWith("two."));
  }

  @Test
  void shouldEndWhenStandardOutputIsClosed() {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(new ClosedWriter()));
    assertThat(line.execute("stat", "--socket", daemon.socket().toString())).isEqualTo(141);
  }

  /** Standard output after 'rddp stat | head' has read its lines. */
  private static final class ClosedWriter extends Writer {
    @Override
    public void write(char[] from, int offset, int length) throws IOException {
      throw new IOException("Broken pipe");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** As in 'rddp stat | head': in a process of its own, since it is about standard output. */
  @Test
  void shouldEndWhenTheReaderOfItsOutputEnds() throws Exception {
    Process process =
        CommandProcess.of(
                "stat", "--all", "--interval", "0.1", "--socket", daemon.socket().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader reader = process.inputReader()) {
      assertThat(reader.readLine()).isNotEmpty();
    }
    assertThat(process.waitFor()).isEqualTo(141);
  }

  @Test
  void shouldRefuseRoundTripsOfOtherSizes() {
    CommandLine line = Main.commandLine().setErr(new PrintWriter(err));
    assertThat(line.execute("demo-round-trips", "--config", "none", "--size", "12")).isEqualTo(2);
    assertThat(err.toString()).contains("--size is a multiple of 8, 8 or more, not 12");
  }

  @Test
  void shouldGetIntoADirectory() throws IOException {
    Path served = Files.createDirectory(folder.resolve("served"));
    Path here = Files.createDirectory(folder.resolve("here"));
    Files.writeString(served.resolve("greeting"), "hello");
    CompletableFuture<Integer> server =
        CompletableFuture.supplyAsync(() -> run("serve", "--interface", "two", "--once", served));
    int code = 1;
    while (code != 0) {
      code = run("get", "--interface", "one", "greeting", "10.0.0.2:7472", "-o", here);
      assertThat(code == 0 || err.toString().contains("no program listens"))
          .as(err::toString)
          .isTrue();
    }
    assertThat(server.join()).isZero();
    assertThat(here.resolve("greeting")).hasContent("hello");
  }

  @Test
  void shouldSayThatItListensOnlyWhenItDoes() {
    try (Rddp other = daemon.connect("two");
        Listener echo = other.listen(7471);
        Listener files = other.listen(7472)) {
      assertThat(echo.address().getPort()).isNotEqualTo(files.address().getPort());
      assertThat(run("echo", "--interface", "two")).isEqualTo(1);
      assertThat(run("serve", "--interface", "two", folder)).isEqualTo(1);
    }
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("port 7471 is in use").contains("port 7472 is in use");
  }

  @Test
  void shouldTellAFileFromADirectory() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(run("put", folder, "10.0.0.2:7472")).isEqualTo(2);
    assertThat(run("serve", file)).isEqualTo(2);
    assertThat(err.toString())
        .contains(folder + " is not a regular file")
        .contains(file + " is not a directory");
  }

  @Test
  void shouldExplainNumbersInPlainWords() {
    assertThat(run("stat", "--interval", "x")).isEqualTo(2);
    assertThat(run("echo", "--port", "3e9")).isEqualTo(2);
    assertThat(err.toString())
        .contains("'x' is not a number")
        .contains("'3e9' is not a whole number below 2^31");
  }

  @Test
  void shouldRejectANameThatIsNotAFileName() {
    assertThat(run("get", "/", "10.0.0.2:7472")).isEqualTo(2);
    assertThat(err.toString()).contains("'/' is not a file name");
  }
}
