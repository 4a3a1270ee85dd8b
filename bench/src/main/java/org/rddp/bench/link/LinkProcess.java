package org.rddp.bench.link;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.rig.Affinity;
import org.rddp.rig.JavaProcess;
import org.rddp.rig.TemporaryFolder;

/** A link in a process of its own, which runs while contenders are stopped. */
public final class LinkProcess implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration TERMINATION = Duration.ofSeconds(5);

  private final TemporaryFolder folder = new TemporaryFolder("rddp-link");
  private final JavaProcess process;
  private final LinkHandle handle;
  private final String congestion;

  /**
   * Starts it.
   *
   * @throws CannotRunException when it cannot be made here, with the end of its log
   */
  public LinkProcess() throws CannotRunException, IOException, InterruptedException {
    int[] cpus = Affinity.allowed();
    Path log = folder.resolve("log");
    Path socket = folder.resolve("control.sock");
    process =
        new JavaProcess(
            "link",
            log,
            List.of(),
            LossyLink.class.getName(),
            List.of(socket.toString(), Integer.toString(cpus[cpus.length - 1])));
    JsonObject ready;
    try {
      ready = JsonParser.parseString(process.readLine(START)).getAsJsonObject();
    } catch (IOException e) {
      List<String> lines = Files.readAllLines(log);
      close();
      throw new CannotRunException("no link: " + reason(lines));
    } catch (InterruptedException e) {
      close();
      throw e;
    }
    handle =
        new LinkHandle(
            ready.get("near").getAsString(), ready.get("far").getAsString(), socket.toString());
    congestion = ready.get("congestion").getAsString();
  }

  /** The first line of an exception, or the last line. */
  private static String reason(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("Exception"))
        .findFirst()
        .orElse(lines.isEmpty() ? "it logged nothing" : lines.getLast());
  }

  /** The link for rigs. */
  public LinkHandle handle() {
    return handle;
  }

  /** The kernel's congestion control at its ends. */
  public String congestionControl() {
    return congestion;
  }

  @Override
  public void close() throws IOException {
    try {
      process.endInput(TERMINATION);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.close();
    folder.close();
  }
}
