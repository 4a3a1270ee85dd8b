package org.rddp.cli;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.rddp.capture.LiveCapture;
import org.rddp.capture.TimeSequencePlot;
import org.rddp.capture.TraceJson;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import org.rddp.ipc.ring.TraceEvent;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp trace}: shows what happens to one connection of a running daemon. */
@Command(
    name = "trace",
    description = {
      "Print what happens to a connection of the running daemon as JSON lines. It ends when the"
          + " connection closes, or with Ctrl-C. Events are segments sent and received,"
          + " acknowledgments, timers, the congestion window, FPDUs, requests and their completions.",
      "The daemon never waits: events that come too fast are left out and counted. Only root and"
          + " the daemon's own user may trace, one connection of an interface at a time.",
      "rddp list connections has the numbers; docs/operations.md has the keys of the lines."
    })
final class TraceCommand implements Callable<Integer> {
  private static final String STANDARD_OUTPUT = "-";

  @Mixin private SessionOptions session;

  @Parameters(
      paramLabel = "CONNECTION",
      converter = ConnectionNumber.Converter.class,
      description =
          "The connection's number, eight hexadecimal digits, and @PID, the process of its program,"
              + " if several programs have that number: 00100000@4711.")
  private ConnectionNumber connection;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      defaultValue = STANDARD_OUTPUT,
      description =
          "The file for the lines; an existing file is replaced (default: ${DEFAULT-VALUE}, standard"
              + " output).")
  private Path file;

  @Option(
      names = "--plot",
      paramLabel = "FILE.png",
      description =
          "At the end, plot what was sent, acknowledged and allowed over time, in the direction"
              + " that carried more octets.")
  private Path plotFile;

  @Option(names = "--count", paramLabel = "N", description = "End after this number of events.")
  private long count = Long.MAX_VALUE;

  @Option(names = "--seconds", paramLabel = "N", description = "End after this number of seconds.")
  private long seconds = Long.MAX_VALUE;

  @Mixin private BufferOption buffer;

  @Spec private CommandSpec spec;

  private final TraceEvent event = new TraceEvent();
  private TimeSequencePlot plot;
  private TraceJson json;
  private JsonObject traced;
  private PrintWriter out;
  private long startNanos;
  private long written;
  private long leftOut;
  private JsonObject closed;
  private boolean ended;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    try (Rddp daemon = session.open("trace");
        LiveCapture capture =
            LiveCapture.ofConnection(
                daemon, buffer.octets(), connection.number(), connection.process(), this::event)) {
      traced = traced(daemon);
      json = new TraceJson(!traced.has("protocol") || isRdmap(traced));
      plot = plotFile == null ? null : new TimeSequencePlot();
      out = isStandardOutput() ? spec.commandLine().getOut() : writer();
      Thread end = new Thread(() -> end(capture), "trace-end");
      Runtime.getRuntime().addShutdownHook(end);
      say("tracing connection %08x of %s".formatted(connection.number(), daemon.interfaceName()));
      try {
        run(daemon, capture);
      } finally {
        end(capture);
        Signals.forget(end);
      }
    }
    return isStandardOutput() && out.checkError() ? Output.READER_ENDED : 0;
  }

  private boolean isStandardOutput() {
    return file.toString().equals(STANDARD_OUTPUT);
  }

  private void check() {
    OptionChecks.require(spec, count >= 1, "--count is 1 or more, not " + count);
    OptionChecks.require(spec, seconds >= 1, "--seconds is 1 or more, not " + seconds);
    buffer.check();
    if (!isStandardOutput()) {
      OptionChecks.requireNewFile(spec, file);
    }
    if (plotFile != null) {
      OptionChecks.requireNewFile(spec, plotFile);
    }
  }

  /** The connection as {@code rddp list} shows it; without keys if it has ended meanwhile. */
  private JsonObject traced(Rddp daemon) {
    List<JsonObject> found =
        ListCommand.objects(daemon, ListSubject.CONNECTIONS, session).stream()
            .filter(each ->
                each.get("interface").getAsString().equals(daemon.interfaceName())
                    && each.get("connection").getAsLong()
                        == Integer.toUnsignedLong(connection.number())
                    && (connection.process() == 0
                        || each.get("pid").getAsLong() == connection.process()))
            .toList();
    return found.isEmpty() ? new JsonObject() : found.getFirst();
  }

  private static boolean isRdmap(JsonObject connection) {
    return connection.get("protocol").getAsString().equals("rdmap");
  }

  private PrintWriter writer() throws IOException {
    return new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
  }

  private void event(long timeNanos, int length, MemorySegment octets) {
    if (written == count) {
      return;
    }
    event.wrap(octets);
    if (startNanos == 0) {
      startNanos = timeNanos;
      out.println(firstLine());
    }
    JsonObject line = json.of(timeNanos - startNanos, event);
    out.println(line);
    written++;
    if (plot != null) {
      plot.add(timeNanos - startNanos, event);
    }
    if (event.kind() == TraceEvent.CLOSED) {
      closed = line;
    }
  }

  private JsonObject firstLine() {
    JsonObject line = new JsonObject();
    line.addProperty("event", "connection");
    line.addProperty("time_ns", 0);
    line.addProperty("start", Instant.ofEpochSecond(0, startNanos).toString());
    traced.entrySet().forEach(each -> line.add(each.getKey(), each.getValue()));
    return line;
  }

  private void run(Rddp daemon, LiveCapture capture) throws IOException, InterruptedException {
    long start = System.nanoTime();
    long duration = seconds == Long.MAX_VALUE ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
    while (written < count && closed == null && System.nanoTime() - start < duration) {
      synchronized (capture) {
        if (poll(capture) > 0) {
          continue;
        }
        if (out.checkError()) {
          return;
        }
      }
      daemon.poll(completion -> {}, 1);
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private int poll(LiveCapture capture) throws IOException {
    int polled = capture.poll();
    countLeftOut(capture);
    return polled;
  }

  /** Writes a line with the number of events left out since the last call. */
  private void countLeftOut(LiveCapture capture) {
    long more = capture.lost() - leftOut;
    if (more > 0) {
      leftOut += more;
      JsonObject line = new JsonObject();
      line.addProperty("event", "left-out");
      line.addProperty("events", more);
      out.println(line);
    }
  }

  private void end(LiveCapture capture) {
    synchronized (capture) {
      if (ended) {
        return;
      }
      ended = true;
      try {
        capture.close();
        countLeftOut(capture);
        out.flush();
        if (!isStandardOutput()) {
          out.close();
        }
        draw();
      } catch (IOException e) {
        throw new CommandFailedException("cannot finish the trace: " + e.getMessage(), e);
      }
      say(
          "%d events, %d left out%s%s"
              .formatted(
                  written,
                  leftOut,
                  leftOut > 0 ? " because the ring was full (a larger --buffer helps)" : "",
                  closed == null
                      ? ""
                      : "; the connection has closed: " + closed.get("reason").getAsString()));
    }
  }

  private void draw() throws IOException {
    if (plot == null) {
      return;
    }
    if (plot.isEmpty()) {
      say("no plot: no data was sent or received during the trace");
      return;
    }
    plot.write("connection " + title(), plotFile);
    say(
        plot.isFull()
            ? plotFile + " shows the beginning of the trace, since it has too many segments"
            : "plot in " + plotFile);
  }

  private String title() {
    String number = "%08x".formatted(connection.number());
    return traced.has("remote_address")
        ? "%s, %s to %s"
            .formatted(number, TextTable.end(traced, "local"), TextTable.end(traced, "remote"))
        : number;
  }

  /** Prints a line for people to standard error, since the events may go to standard output. */
  private void say(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
