package org.rddp.cli;

import com.google.gson.JsonObject;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.demo.Poller;
import org.rddp.rig.RoundTrips;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp ping}: measures round trips to {@code rddp echo}. */
@Command(
    name = "ping",
    description = "Measure round trips of messages to 'rddp echo' and print their percentiles.")
final class PingCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int TICKS_PER_HALF_DISTANCE = 2;

  /** Fills messages; not zero, so that an answer differs from zeroed memory. */
  private static final byte PATTERN = 0x5a;

  @Mixin private SessionOptions session;

  @Parameters(paramLabel = "ADDRESS:PORT", description = "Address of the echo server.")
  private RemoteAddress target;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Number of round trips, after as many for warm-up (default: ${DEFAULT-VALUE}).")
  private int count;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "64",
      description = "Size of a message (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(names = "--json", description = "Print one JSON object with times in nanoseconds.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    OptionChecks.require(spec, count >= 1, "--count is 1 or more, not " + count);
    OptionChecks.require(spec, size >= 1 && size <= 64 << 10, "--size is 1 to 64KiB, not " + size);
    try (Rddp daemon = session.open("ping", target);
        Connection connection =
            target.host().connect(daemon, PrivateData.NONE, TIMEOUT, ConnectionOptions.DEFAULTS)) {
      Histogram nanoseconds = measure(daemon, connection);
      if (json) {
        JsonObject result = RoundTrips.of(nanoseconds, "echo").toJson();
        result.addProperty("octets", size);
        Output.println(spec, result.toString());
      } else {
        print(nanoseconds);
      }
    }
    return 0;
  }

  private Histogram measure(Rddp daemon, Connection connection) {
    Histogram nanoseconds = RoundTrips.histogram();
    MemoryRegion memory = daemon.allocate(2 * size, Access.LOCAL_WRITE);
    memory.segment().asSlice(0, size).fill(PATTERN);
    Poller poller = new Poller(daemon, TIMEOUT);
    requireEcho(poller, connection, memory);
    spec.commandLine()
        .getErr()
        .println(
            "connected; " + count + " round trips for warm-up, then " + count + " are measured");
    for (int i = 1 - count; i < count; i++) {
      long start = System.nanoTime();
      roundTrip(poller, connection, memory);
      if (i >= 0) {
        nanoseconds.recordValue(
            Math.min(System.nanoTime() - start, nanoseconds.getHighestTrackableValue()));
      }
    }
    return nanoseconds;
  }

  /**
   * Makes the first round trip, which shows whether the program at the address sends messages back.
   */
  private void requireEcho(Poller poller, Connection connection, MemoryRegion memory) {
    String problem = "";
    try {
      roundTrip(poller, connection, memory);
    } catch (IllegalStateException e) {
      problem = ": " + e.getMessage();
    }
    MemorySegment sent = memory.segment().asSlice(0, size);
    if (!problem.isEmpty() || sent.mismatch(memory.segment().asSlice(size, size)) >= 0) {
      throw new CommandFailedException(
          "the program at "
              + target
              + " does not send messages back; start 'rddp echo' there, or name the port of one"
              + problem);
    }
  }

  private void roundTrip(Poller poller, Connection connection, MemoryRegion memory) {
    long expected = poller.received() + 1;
    poller.until(() -> connection.postReceive(0, memory, size, size), "room for a receive");
    poller.until(() -> connection.postSend(0, memory, 0, size), "room for a send");
    poller.until(() -> poller.received() >= expected, "the echo");
  }

  private void print(Histogram nanoseconds) {
    Output.println(
        spec,
        count + " round trips of " + size + " octets to " + target + " and back, microseconds:");
    nanoseconds
        .percentiles(TICKS_PER_HALF_DISTANCE)
        .forEach(value ->
            Output.println(
                spec,
                String.format(
                    "%10.4f %%  %12.2f",
                    value.getPercentileLevelIteratedTo(), value.getValueIteratedTo() / 1e3)));
    Output.println(spec, String.format("      mean    %12.2f", nanoseconds.getMean() / 1e3));
  }
}
