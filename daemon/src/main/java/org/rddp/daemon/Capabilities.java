package org.rddp.daemon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Capabilities of the calling thread (capabilities(7)). */
enum Capabilities {
  /** Changes flags and addresses of network interfaces. */
  CAP_NET_ADMIN(12),
  /** Opens sockets for whole frames. */
  CAP_NET_RAW(13),
  /** Loads programs of BPF. */
  CAP_BPF(39);

  private static final Path STATUS = Path.of("/proc/thread-self/status");
  private static final String EFFECTIVE = "CapEff:";

  private final int bit;

  Capabilities(int bit) {
    this.bit = bit;
  }

  /**
   * The capabilities that the thread lacks. A capability is valid only within the thread's user
   * namespace, so not for a network namespace that belongs to another.
   */
  static List<Capabilities> missing(List<Capabilities> needed) {
    long effective = effective();
    return needed.stream().filter(each -> (effective >>> each.bit & 1) == 0).toList();
  }

  private static long effective() {
    try {
      return Files.readAllLines(STATUS).stream()
          .filter(line -> line.startsWith(EFFECTIVE))
          .mapToLong(line -> Long.parseUnsignedLong(line.substring(EFFECTIVE.length()).strip(), 16))
          .findFirst()
          .orElse(-1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
