package org.rddp.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every input that is kept, those that were findings once among them, without a fuzzer. */
class CorpusTest {
  private static final Path CORPUS = Path.of("src/test/resources/org/rddp/fuzz");
  private static final long MOST_OCTETS = 1 << 20;

  private static void run(String target, Consumer<byte[]> fuzzer) throws IOException {
    List<Path> inputs;
    try (Stream<Path> files = Files.list(CORPUS.resolve(target))) {
      inputs = files.sorted().toList();
    }
    assertThat(inputs).isNotEmpty();
    long octets = 0;
    for (Path input : inputs) {
      byte[] content = Files.readAllBytes(input);
      octets += content.length;
      assertThatCode(() -> fuzzer.accept(content)).as(input.toString()).doesNotThrowAnyException();
    }
    assertThat(octets).isLessThan(MOST_OCTETS);
  }

  @Test
  void shouldSurviveEveryListOfFrames() throws IOException {
    run("frames", FrameFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryStartup() throws IOException {
    run("startup", StartupFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryStreamOfFpdus() throws IOException {
    run("mpa", MpaFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryHostilePeer() throws IOException {
    run("rdma", RdmaFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryScript() throws IOException {
    run("connection", ConnectionFuzz::fuzzerTestOneInput);
  }
}
