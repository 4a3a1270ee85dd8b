package org.rddp.daemon;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds in the output of DPDK's drivers the line that says why something failed. */
final class DriverWords {
  /** Lines that only say that something failed, or that are printed for every port. */
  private static final List<Pattern> EMPTY =
      List.of(
          Pattern.compile("EAL: Driver cannot attach the device.*"),
          Pattern.compile("EAL: Failed to attach device on primary process"),
          Pattern.compile(
              "EAL: (Detected|Multi-process|Selected|VFIO|Probe|Using|Static|Physical).*"),
          // There are no other processes of the same DPDK (EalArguments).
          Pattern.compile(".*Failed to register mp action callback: Operation not supported"),
          Pattern.compile("TELEMETRY: .*"));

  private static final int MOST_CHARACTERS = 200;

  private DriverWords() {}

  /** The line in quotes, after a colon and a space; empty if no line gives a reason. */
  static String reason(String output) {
    return lines(output)
        .findFirst()
        .map(line -> ": \"" + line.substring(0, Math.min(line.length(), MOST_CHARACTERS)) + "\"")
        .orElse("");
  }

  /** Whether the reason says that DPDK has no driver for a device's name. */
  static boolean isUnknownDriver(String reason) {
    return reason.contains("failed to parse device");
  }

  /** The lines that give a reason, each with its line end. */
  static String remarkable(String output) {
    return lines(output).map(line -> line + "\n").collect(Collectors.joining());
  }

  private static Stream<String> lines(String output) {
    return output
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .filter(line -> EMPTY.stream().noneMatch(each -> each.matcher(line).matches()));
  }
}
