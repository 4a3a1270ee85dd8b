package org.rddp.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Runs every input that is kept, including former findings, without a fuzzer. */
class CorpusTest {
  private static final Path CORPUS = Path.of("src/test/resources/org/rddp/fuzz");
  private static final long MOST_OCTETS = 1 << 20;

  private static void run(String target, Consumer<byte[]> fuzzer) throws IOException {
    Path archive = CORPUS.resolve(target + ".zip");
    Map<String, byte[]> inputs = SeedArchive.read(archive);
    assertThat(inputs).isNotEmpty();
    inputs.forEach((name, octets) ->
        assertThatCode(() -> fuzzer.accept(octets))
            .as("rddp fuzz %s --replay %s", target, name)
            .doesNotThrowAnyException());
    assertThat(Files.size(archive)).isLessThan(MOST_OCTETS);
  }

  @Test
  void shouldSurviveEveryListOfFrames() throws IOException {
    run("frames", FrameFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryListOfIpv6Packets() throws IOException {
    run("ipv6", Ipv6Fuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryListOfPacketsInEsp() throws IOException {
    run("esp", EspFuzz::fuzzerTestOneInput);
  }

  @Test
  void shouldSurviveEveryMessageOfTheKernel() throws IOException {
    run("xfrm", XfrmFuzz::fuzzerTestOneInput);
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
