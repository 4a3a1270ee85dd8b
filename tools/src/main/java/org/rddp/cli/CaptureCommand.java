package org.rddp.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.rddp.client.Rddp;
import org.rddp.demo.LiveCapture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp capture}: captures the frames of a running daemon's interface. */
@Command(
    name = "capture",
    description = {
      "Capture the frames of a running daemon's interface into a file for Wireshark, until Ctrl-C.",
      "The daemon never waits: frames that come too fast are dropped and counted. Only root and"
          + " the daemon's own user may capture."
    })
final class CaptureCommand implements Callable<Integer> {
  @Mixin private SessionOptions session;

  @Parameters(paramLabel = "FILE", description = "The capture file; an existing file is replaced.")
  private Path file;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "End after about this number of frames.")
  private long count = Long.MAX_VALUE;

  @Option(names = "--seconds", paramLabel = "N", description = "End after this number of seconds.")
  private long seconds = Long.MAX_VALUE;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    OptionChecks.require(spec, count >= 1, "--count is 1 or more, not " + count);
    OptionChecks.require(spec, seconds >= 1, "--seconds is 1 or more, not " + seconds);
    OptionChecks.require(
        spec, !Files.isDirectory(file), file + " is a directory: give the path of a file");
    Path folder = file.toAbsolutePath().getParent();
    OptionChecks.requireDirectory(spec, folder);
    try (Rddp daemon = session.open("capture")) {
      LiveCapture capture = new LiveCapture(daemon, file);
      Thread end = new Thread(() -> end(capture), "capture-end");
      Runtime.getRuntime().addShutdownHook(end);
      Output.println(spec, "capturing " + daemon.interfaceName() + " into " + file);
      try {
        run(daemon, capture);
        end(capture);
      } finally {
        // After a failure the hook would fail again.
        forget(end);
      }
    }
    return 0;
  }

  private void run(Rddp daemon, LiveCapture capture) throws IOException, InterruptedException {
    long start = System.nanoTime();
    long duration = seconds == Long.MAX_VALUE ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
    while (capture.frames() < count && System.nanoTime() - start < duration) {
      synchronized (capture) {
        if (capture.poll() > 0) {
          continue;
        }
      }
      daemon.poll(completion -> {}, 1);
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      return;
    }
  }

  private void end(LiveCapture capture) {
    synchronized (capture) {
      try {
        capture.close();
      } catch (IOException e) {
        throw new CommandFailedException("cannot finish " + file + ": " + e.getMessage(), e);
      }
      Output.println(spec, capture.frames() + " frames, " + capture.lost() + " left out");
    }
  }
}
