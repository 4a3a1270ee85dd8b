package org.rddp.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for the demonstration's sockets, configurations and logs; gone when it ends. */
final class DemoDirectory implements AutoCloseable {
  private final Path path;

  DemoDirectory() throws IOException {
    path = Files.createTempDirectory("rddp-demo-");
  }

  Path path(String name) {
    return path.resolve(name);
  }

  Path write(String name, String text) throws IOException {
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
