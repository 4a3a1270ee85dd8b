package org.rddp.rig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for sockets, configurations and logs, removed with everything in it when closed. */
public final class TemporaryFolder implements AutoCloseable {
  private final Path path;

  /**
   * Makes the folder.
   *
   * @param prefix of its name
   */
  public TemporaryFolder(String prefix) throws IOException {
    path = Files.createTempDirectory(prefix);
  }

  /** The folder. */
  public Path path() {
    return path;
  }

  /** A file in it. */
  public Path resolve(String name) {
    return path.resolve(name);
  }

  /** Writes a file in it. */
  public Path write(String name, String text) throws IOException {
    return Files.writeString(path.resolve(name), text);
  }

  @Override
  public void close() throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(path)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.deleteIfExists(each);
    }
  }
}
