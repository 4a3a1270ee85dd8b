package org.rddp.soak;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.rddp.client.CounterReader;
import org.rddp.client.Rddp;

/**
 * What a daemon holds, by name, while only the soak has a session with it. If it holds more after
 * all programs have ended, something has leaked.
 *
 * @param values by name
 */
record Holdings(Map<String, Long> values) {
  private static final String DESCRIPTORS = "descriptors that are no files";
  private static final String MAPPINGS = "mappings of shared memory";
  private static final String HUGE_PAGES = "KiB of huge pages";

  /** What one process has, and another one may have more of. */
  private static final List<String> OF_PROCESS = List.of(DESCRIPTORS, MAPPINGS, HUGE_PAGES);

  private static final List<String> COUNTERS =
      List.of(
          "sessions",
          "memory_bytes",
          "stags",
          "packets_free",
          "tcp_held_packets",
          "startups_pending",
          "engine_faults");

  /** Counts what a daemon holds now. */
  static Holdings of(Rddp session, long pid) throws IOException {
    Map<String, Long> values = new TreeMap<>();
    try (CounterReader counters = session.openCounters()) {
      counters.forEach((name, value) -> {
        if (COUNTERS.stream().anyMatch(each -> name.equals(each) || name.endsWith("." + each))) {
          values.put(name, value);
        }
      });
      long opened = sum(counters, "connections_opened");
      values.put("connections open", opened - sum(counters, "connections_closed"));
    }
    Path process = Path.of("/proc", Long.toString(pid));
    values.put(DESCRIPTORS, descriptors(process));
    values.put(MAPPINGS, mappings(process));
    values.put(HUGE_PAGES, status(process, "HugetlbPages:"));
    return new Holdings(values);
  }

  /** These, with what the process has from another one. */
  Holdings withProcess(Holdings other) {
    Map<String, Long> all = new TreeMap<>(values);
    OF_PROCESS.forEach(each -> all.put(each, other.values.get(each)));
    return new Holdings(all);
  }

  /** Sessions that the daemon has counted. */
  long sessions() {
    return values.get("sessions");
  }

  private static long sum(CounterReader counters, String name) {
    long[] sum = {0};
    counters.forEach((counter, value) -> sum[0] += counter.endsWith("." + name) ? value : 0);
    return sum[0];
  }

  /** Counts all descriptors but files, which the JVM opens when it likes. */
  private static long descriptors(Path process) throws IOException {
    long count = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path each : all) {
        count += isNoFile(each) ? 1 : 0;
      }
    }
    return count;
  }

  private static boolean isNoFile(Path descriptor) throws IOException {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      return !target.startsWith("/") || target.startsWith("/memfd:");
    } catch (NoSuchFileException e) {
      // It was closed in the meantime.
      return false;
    }
  }

  private static long mappings(Path process) throws IOException {
    try (Stream<String> lines = Files.lines(process.resolve("maps"))) {
      return lines.filter(line -> line.contains("/memfd:rddp-")).count();
    }
  }

  /** Resident memory of a process in KiB. */
  static long residentMemory(long pid) throws IOException {
    return status(Path.of("/proc", Long.toString(pid)), "VmRSS:");
  }

  private static long status(Path process, String key) throws IOException {
    try (Stream<String> lines = Files.lines(process.resolve("status"))) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.replaceAll("\\D", ""))
          .mapToLong(Long::parseLong)
          .findFirst()
          .orElse(0);
    }
  }

  /** What differs from what was held before, for people; empty if nothing does. */
  String difference(Holdings before) {
    StringBuilder text = new StringBuilder();
    values.forEach((name, value) -> {
      long earlier = before.values.getOrDefault(name, 0L);
      if (value != earlier) {
        text.append(text.isEmpty() ? "" : ", ").append(name).append(' ').append(value);
        text.append(" instead of ").append(earlier);
      }
    });
    return text.toString();
  }
}
