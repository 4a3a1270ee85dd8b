package org.rddp.capture;

import java.nio.file.Path;

/**
 * When a capture changes to the next file.
 *
 * @param octets size of a file at which it changes
 * @param nanos age of a file in nanoseconds at which it changes
 * @param files number of files that are kept; older ones are deleted
 */
public record Rotation(long octets, long nanos, int files) {
  /** Whether there is only one file. */
  boolean isNone() {
    return octets == Long.MAX_VALUE && nanos == Long.MAX_VALUE;
  }

  /** The name of the file with a number: {@code name-00001.pcapng} for {@code name.pcapng}. */
  Path name(Path file, int number) {
    if (isNone()) {
      return file;
    }
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    int end = dot > 0 ? dot : name.length();
    return file.resolveSibling(
        "%s-%05d%s".formatted(name.substring(0, end), number, name.substring(end)));
  }
}
