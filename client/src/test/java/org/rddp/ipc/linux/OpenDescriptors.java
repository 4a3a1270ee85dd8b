package org.rddp.ipc.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The descriptors that this process has open, as /proc shows them. */
public final class OpenDescriptors {
  private OpenDescriptors() {}

  /** What each number refers to, for those whose text contains the part given. */
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
