package org.rddp.ipc.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The open descriptors of this process, from /proc. */
public final class OpenDescriptors {
  private OpenDescriptors() {}

  /** The target of each descriptor whose target contains the given text. */
  public static Map<String, String> naming(String part) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> numbers = Files.list(Path.of("/proc/self/fd"))) {
      for (Path number : numbers.toList()) {
        if (Files.isSymbolicLink(number)) {
          String target = Files.readSymbolicLink(number).toString();
          if (target.contains(part)) {
            found.put(number.getFileName().toString(), target);
          }
        }
      }
    }
    return found;
  }
}
