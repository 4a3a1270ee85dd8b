package org.rddp.bench.link;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.dpdk.Eal;
import org.rddp.rig.Affinity;

/** A link in a process of its own, which is not stopped while others work. */
public final class LinkProcess implements AutoCloseable {
  private final Path folder;
  private final Process process;
  private final LinkHandle handle;
  private final String congestion;

  /**
   * Starts it.
   *
   * @throws CannotRunException when it cannot be made here, with its last words
   */
  public LinkProcess() throws CannotRunException, IOException {
    folder = Files.createTempDirectory("rddp-link");
    Path log = folder.resolve("log");
    Path socket = folder.resolve("control.sock");
    int[] cpus = Affinity.allowed();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(
        List.of(
            LossyLink.class.getName(), socket.toString(), Integer.toString(cpus[cpus.length - 1])));
    process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    String line = firstLine();
    if (line == null) {
      List<String> said = Files.readAllLines(log);
      close();
      throw new CannotRunException("no link: " + reason(said));
    }
    JsonObject ready = JsonParser.parseString(line).getAsJsonObject();
    handle =
        new LinkHandle(
            ready.get("near").getAsString(), ready.get("far").getAsString(), socket.toString());
    congestion = ready.get("congestion").getAsString();
  }

  private String firstLine() throws IOException {
    return new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
        .readLine();
  }

  /** The line that an exception begins with, or the last one. */
  private static String reason(List<String> said) {
    return said.stream()
        .filter(line -> line.startsWith("Exception"))
        .findFirst()
        .orElse(said.isEmpty() ? "it said nothing" : said.getLast());
  }

  /** For rigs. */
  public LinkHandle handle() {
    return handle;
  }

  /** The congestion control of the kernel at its ends. */
  public String congestionControl() {
    return congestion;
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Eal.removeLeftovers(process.pid());
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.delete(folder);
  }
}
