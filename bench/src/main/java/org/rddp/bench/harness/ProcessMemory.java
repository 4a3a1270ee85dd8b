package org.rddp.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A process's memory as the kernel reports it. */
public final class ProcessMemory {
  private static final double KIBIBYTE = 1024;

  private ProcessMemory() {}

  /** Octets of a process that are resident; huge pages do not count. */
  public static double residentOctets(ProcessHandle process) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    try (Stream<String> lines = Files.lines(status)) {
      return lines
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .findFirst()
              .orElseThrow()
          * KIBIBYTE;
    }
  }
}
