package org.rddp.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeedArchiveTest {
  @TempDir private Path directory;

  private Path archive() {
    return directory.resolve("target.zip");
  }

  private Path inputs() throws IOException {
    return Files.createDirectories(directory.resolve("inputs"));
  }

  @Test
  void shouldUnpackWhatItHasReplaced() throws IOException {
    Files.write(inputs().resolve("0a1b"), new byte[] {1, 2, 3});
    Files.write(inputs().resolve("ff"), new byte[0]);
    SeedArchive.main(new String[] {"replace", archive().toString(), inputs().toString()});
    Path unpacked = directory.resolve("unpacked");
    SeedArchive.main(new String[] {"unpack", archive().toString(), unpacked.toString()});
    assertThat(unpacked.resolve("0a1b")).hasBinaryContent(new byte[] {1, 2, 3});
    assertThat(unpacked.resolve("ff")).isEmptyFile();
  }

  @Test
  void shouldKeepFindingsWhenInputsAreReplaced() throws IOException {
    Path finding = Files.write(directory.resolve("a-finding"), new byte[] {4});
    SeedArchive.write(archive(), Map.of("0a1b", new byte[] {1}));
    SeedArchive.main(new String[] {"add", archive().toString(), finding.toString()});
    Files.write(inputs().resolve("2c3d"), new byte[] {5});
    SeedArchive.main(new String[] {"replace", archive().toString(), inputs().toString()});
    assertThat(SeedArchive.read(archive())).containsOnlyKeys("2c3d", "a-finding");
  }

  @Test
  void shouldWriteTheSameOctetsForTheSameInputs() throws IOException {
    SeedArchive.write(archive(), Map.of("1", new byte[] {1}, "2", new byte[] {2}));
    byte[] first = Files.readAllBytes(archive());
    SeedArchive.write(archive(), Map.of("2", new byte[] {2}, "1", new byte[] {1}));
    assertThat(archive()).hasBinaryContent(first);
  }
}
