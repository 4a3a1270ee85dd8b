package org.rddp.bench.report;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.rddp.dpdk.Eal;

/** The machine that a benchmark ran on, and the versions of software. */
public final class MachineDescription {
  private final Map<String, String> facts = new LinkedHashMap<>();

  /** The machine of this process, today. */
  public MachineDescription() {
    facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    facts.put(
        "machine",
        Runtime.getRuntime().availableProcessors() + " cores, " + processor() + memory());
    facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put(
        "jdk", System.getProperty("java.vm.version") + ", " + System.getProperty("java.vendor"));
    facts.put("dpdk", dpdk());
    library("aeron", "io.aeron", "aeron-driver");
    library("netty", "io.netty", "netty-transport");
  }

  /** With family and model where the kernel has them: a hypervisor may hide them in the name. */
  private static String processor() {
    Path file = Path.of("/proc/cpuinfo");
    String name = field(file, "model name", "unknown processor");
    String family = field(file, "cpu family", "");
    return family.isEmpty()
        ? name
        : "%s (family %s, model %s)".formatted(name, family, field(file, "model\t", "unknown"));
  }

  private static String memory() {
    String total = field(Path.of("/proc/meminfo"), "MemTotal", "0 kB").replace(" kB", "");
    return ", " + Math.round(Long.parseLong(total.strip()) / 1048576.0) + " GiB";
  }

  private static String field(Path file, String name, String otherwise) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(otherwise);
    } catch (IOException | UncheckedIOException e) {
      return otherwise;
    }
  }

  private static String dpdk() {
    try {
      return Eal.version();
    } catch (RuntimeException | LinkageError e) {
      return "none";
    }
  }

  /** The version of a library, from the name of its archive. */
  private void library(String key, String group, String artifact) {
    for (String entry : System.getProperty("java.class.path").split(":", -1)) {
      String file = entry.substring(entry.lastIndexOf('/') + 1);
      if (file.matches(artifact + "-[0-9].*\\.jar")) {
        facts.put(key, file.substring(artifact.length() + 1, file.length() - ".jar".length()));
        return;
      }
    }
    facts.put(key, "unknown (" + group + ")");
  }

  /** All facts in one line. */
  @Override
  public String toString() {
    return String.join(
        "; ",
        facts.get("date"),
        facts.get("machine"),
        facts.get("kernel"),
        "JDK " + facts.get("jdk"),
        facts.get("dpdk"),
        "Netty " + facts.get("netty"),
        "Aeron " + facts.get("aeron"));
  }

  /** date, machine, kernel, jdk, dpdk, and versions of peers. */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    facts.forEach(json::addProperty);
    return json;
  }
}
