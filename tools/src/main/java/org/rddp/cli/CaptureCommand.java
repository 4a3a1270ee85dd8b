package org.rddp.cli;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.rddp.capture.CaptureFiles;
import org.rddp.capture.ConnectionFilter;
import org.rddp.capture.FrameDirection;
import org.rddp.capture.LiveCapture;
import org.rddp.capture.PacketFilter;
import org.rddp.capture.PcapngWriter;
import org.rddp.capture.Rotation;
import org.rddp.client.Rddp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp capture}: captures the frames of a running daemon's interface. */
@Command(
    name = "capture",
    description = {
      "Capture the frames of a running daemon's interface as pcapng for Wireshark, until Ctrl-C.",
      "The daemon never waits: frames that come too fast are dropped and counted. Only root and"
          + " the daemon's own user may capture.",
      "Live: rddp capture - | tshark --disable-heuristic rpcrdma_iwarp -r -"
    })
final class CaptureCommand implements Callable<Integer> {
  private static final String STANDARD_OUTPUT = "-";
  private static final int LONGEST_SNAP = LiveCapture.WHOLE_FRAMES;

  private static final String RING_FULL =
      " because the ring was full (a larger --buffer or a smaller --snaplen helps)";

  @Mixin private SessionOptions session;

  @Parameters(
      paramLabel = "FILE",
      description = "The capture file; an existing file is replaced. -: standard output.")
  private Path file;

  @Option(
      names = "--filter",
      paramLabel = "EXPRESSION",
      description =
          "Write only frames that match, in the syntax of pcap-filter(7): 'tcp port 7471'. Frames"
              + " with a VLAN tag need 'vlan and ...'.")
  private String filter = "";

  @Option(
      names = "--connection",
      paramLabel = "NUMBER[@PID]",
      converter = ConnectionNumber.Converter.class,
      description =
          "Write only frames of this connection, which must be open, without IP fragments after the"
              + " first. PID: the program's process.")
  private ConnectionNumber connection;

  @Option(
      names = "--plain",
      description =
          "Show packets in ESP in clear: those that are sealed, and those that were opened; not"
              + " those that were dropped unopened.")
  private boolean plain;

  @Option(
      names = "--snaplen",
      paramLabel = "N",
      description = "Keep this number of octets of each frame (default: all).")
  private int snapLength = LONGEST_SNAP;

  @Option(
      names = "--rotate-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "Change to the next file at this size; the files of FILE.pcapng are FILE-00001.pcapng and"
              + " so on.")
  private Long rotateSize;

  @Option(
      names = "--rotate-seconds",
      paramLabel = "N",
      description = "Change to the next file after this number of seconds.")
  private Long rotateSeconds;

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Keep this number of files, and delete older ones (default: all).")
  private int files = Integer.MAX_VALUE;

  @Mixin private BufferOption buffer;

  @Option(
      names = "--comment",
      paramLabel = "TEXT",
      description = "A comment for the head of each file.")
  private String comment = "";

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "End after about this number of frames.")
  private long count = Long.MAX_VALUE;

  @Option(names = "--seconds", paramLabel = "N", description = "End after this number of seconds.")
  private long seconds = Long.MAX_VALUE;

  @Spec private CommandSpec spec;

  private PacketFilter compiled;
  private PacketFilter ofConnection;
  private String chosen = "";
  private CaptureFiles output;
  private FrameDirection direction;
  private long written;
  private long unwanted;

  private long macAddress(Rddp daemon) {
    String name = daemon.interfaceName();
    return session.interfaces().stream()
        .filter(each -> name.equals(each.name()) || name.startsWith(each.name() + "/"))
        .findFirst()
        .orElseThrow()
        .mac();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    compiled = compile(filter);
    try (Rddp daemon = session.open("capture")) {
      if (connection != null) {
        chosen = chosen(daemon);
        ofConnection = compile(chosen);
      }
      direction = new FrameDirection(macAddress(daemon));
      output = new CaptureFiles(isStandardOutput() ? null : file, rotation(), description(daemon));
      LiveCapture capture = start(daemon);
      Thread end = new Thread(() -> end(capture), "capture-end");
      Runtime.getRuntime().addShutdownHook(end);
      say("capturing " + daemon.interfaceName() + " into " + (isStandardOutput() ? "-" : file));
      try {
        run(daemon, capture);
      } finally {
        end(capture);
        Signals.forget(end);
      }
    }
    return 0;
  }

  private boolean isStandardOutput() {
    return file.toString().equals(STANDARD_OUTPUT);
  }

  private void check() {
    OptionChecks.require(spec, count >= 1, "--count is 1 or more, not " + count);
    OptionChecks.require(spec, seconds >= 1, "--seconds is 1 or more, not " + seconds);
    OptionChecks.require(
        spec,
        snapLength >= 1 && snapLength <= LONGEST_SNAP,
        "--snaplen is 1 to " + LONGEST_SNAP + ", not " + snapLength);
    buffer.check();
    OptionChecks.require(spec, files >= 1, "--files is 1 or more, not " + files);
    boolean rotates = rotateSize != null || rotateSeconds != null;
    OptionChecks.require(
        spec,
        rotates || files == Integer.MAX_VALUE,
        "--files needs --rotate-size or --rotate-seconds");
    OptionChecks.require(
        spec,
        rotateSeconds == null || rotateSeconds >= 1,
        "--rotate-seconds is 1 or more, not " + rotateSeconds);
    if (isStandardOutput()) {
      OptionChecks.require(spec, !rotates, "standard output cannot be rotated: name a file");
      return;
    }
    OptionChecks.requireNewFile(spec, file);
  }

  private String chosen(Rddp daemon) {
    return ConnectionFilter.of(daemon.findConnection(connection.number(), connection.process()));
  }

  private PacketFilter compile(String expression) {
    try {
      return expression.isEmpty() ? null : PacketFilter.compile(expression, snapLength);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), "--filter '" + expression + "': " + e.getMessage(), e);
    } catch (UnsupportedOperationException e) {
      throw new CommandFailedException(e.getMessage(), e);
    }
  }

  private Rotation rotation() {
    return new Rotation(
        rotateSize == null ? Long.MAX_VALUE : rotateSize,
        rotateSeconds == null ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(rotateSeconds),
        files);
  }

  private PcapngWriter.Description description(Rddp daemon) {
    return new PcapngWriter.Description(
        "rddp capture " + Version.number(),
        daemon.interfaceName(),
        snapLength,
        expression(),
        comment);
  }

  private String expression() {
    return filter.isEmpty() || chosen.isEmpty()
        ? filter + chosen
        : "(" + filter + ") and (" + chosen + ")";
  }

  private LiveCapture start(Rddp daemon) throws IOException {
    try {
      return new LiveCapture(daemon, buffer.octets(), snapLength, plain, this::frame);
    } catch (IOException | RuntimeException e) {
      output.close();
      throw e;
    }
  }

  private void frame(long timeNanos, int originalLength, MemorySegment octets) throws IOException {
    if (!isWanted(compiled, octets, originalLength)
        || !isWanted(ofConnection, octets, originalLength)) {
      unwanted++;
      output.skip();
      return;
    }
    written++;
    output.frame(timeNanos, originalLength, octets, direction.of(octets));
  }

  private static boolean isWanted(PacketFilter filter, MemorySegment octets, int originalLength) {
    return filter == null || filter.matches(octets, originalLength);
  }

  private void run(Rddp daemon, LiveCapture capture) throws IOException, InterruptedException {
    long start = System.nanoTime();
    long duration = seconds == Long.MAX_VALUE ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
    while (written < count && System.nanoTime() - start < duration) {
      synchronized (capture) {
        if (poll(capture) > 0) {
          continue;
        }
        // No frame is waiting: let readers of the pipe or file see the last ones.
        output.flush();
        output.rotateIfDue();
      }
      daemon.poll(completion -> {}, 1);
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private int poll(LiveCapture capture) throws IOException {
    long before = capture.lost();
    int polled = capture.poll();
    output.leftOut(capture.lost() - before);
    return polled;
  }

  private void end(LiveCapture capture) {
    synchronized (capture) {
      if (output == null) {
        return;
      }
      CaptureFiles last = output;
      try (last) {
        long before = capture.lost();
        capture.close();
        last.leftOut(capture.lost() - before);
      } catch (IOException e) {
        throw new CommandFailedException("cannot finish " + file + ": " + e.getMessage(), e);
      } finally {
        output = null;
        if (compiled != null) {
          compiled.close();
        }
        if (ofConnection != null) {
          ofConnection.close();
        }
      }
      String rest =
          compiled == null && ofConnection == null
              ? ""
              : ", " + unwanted + " did not match the filter";
      String where = last.count() > 1 ? " in " + last.count() + " files" : "";
      say(
          "%d frames%s, %d left out%s"
                  .formatted(written, where, capture.lost(), capture.lost() > 0 ? RING_FULL : "")
              + rest);
    }
  }

  /** Prints a line for people: to standard error if the frames go to standard output. */
  private void say(String line) {
    if (isStandardOutput()) {
      spec.commandLine().getErr().println(line);
      spec.commandLine().getErr().flush();
    } else {
      Output.println(spec, line);
    }
  }
}
