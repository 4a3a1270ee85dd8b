package org.rddp.cli;

import com.google.gson.JsonObject;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.demo.Poller;
import org.rddp.rig.AdvertisedBuffer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp bw}: measures the throughput of RDMA Writes. */
@Command(
    name = "bw",
    description = "Measure the throughput of RDMA Writes into the buffer of 'rddp echo'.")
final class BandwidthCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @Mixin private SessionOptions session;

  @Parameters(paramLabel = "ADDRESS:PORT", description = "Address of the echo server.")
  private RemoteAddress target;

  @Option(
      names = "--total",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256MiB",
      description =
          "Amount of data to write; a warm-up of a tenth of it is not timed"
              + " (default: ${DEFAULT-VALUE}).")
  private long total;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "64KiB",
      description = "Size of each write, up to the buffer's 64KiB (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    OptionChecks.require(spec, size >= 1 && size <= 64 << 10, "--size is 1 to 64KiB, not " + size);
    OptionChecks.require(
        spec, total >= size, "--total is at least --size, " + size + " octets, not " + total);
    try (Rddp daemon = session.open("bw");
        Connection connection =
            daemon.connect(target.toSocketAddress(), PrivateData.NONE, TIMEOUT)) {
      long writes = total / size;
      long nanos = measure(daemon, connection, writes);
      double gigabits = writes * size * 8.0 / nanos;
      double perSecond = writes * 1e9 / nanos;
      if (json) {
        JsonObject result = new JsonObject();
        result.addProperty("bytes", writes * size);
        result.addProperty("size", size);
        result.addProperty("seconds", nanos / 1e9);
        result.addProperty("gbps", gigabits);
        result.addProperty("writes_per_second", perSecond);
        Output.println(spec, result.toString());
      } else {
        Output.println(
            spec,
            String.format(
                "%d writes of %d octets in %.3f s: %.2f Gb/s, %.0f writes/s",
                writes, size, nanos / 1e9, gigabits, perSecond));
      }
    }
    return 0;
  }

  private long measure(Rddp daemon, Connection connection, long writes) {
    AdvertisedBuffer buffer = AdvertisedBuffer.read(connection.privateData());
    OptionChecks.require(
        spec, buffer.length() >= size, "the peer's buffer has only " + buffer.length());
    MemoryRegion source = daemon.allocate(size);
    MemoryRegion answers = daemon.allocate(8, Access.LOCAL_WRITE);
    Poller poller = new Poller(daemon, TIMEOUT);
    write(connection, poller, source, buffer, Math.max(1, writes / 10));
    finish(connection, poller, answers);
    long start = System.nanoTime();
    write(connection, poller, source, buffer, writes);
    finish(connection, poller, answers);
    return System.nanoTime() - start;
  }

  private void write(
      Connection connection,
      Poller poller,
      MemoryRegion source,
      AdvertisedBuffer buffer,
      long writes) {
    for (long i = 0; i < writes; i++) {
      int flags = i % 16 == 15 ? SendFlags.SIGNALLED : 0;
      poller.until(
          () -> connection.postWrite(0, source, 0, size, buffer.stag(), buffer.to(), flags),
          "room in the send queue");
    }
  }

  /** Waits for an echo: all earlier writes have been placed by then. */
  private static void finish(Connection connection, Poller poller, MemoryRegion answers) {
    long expected = poller.received() + 1;
    MemorySegment message = MemorySegment.ofArray(new byte[8]);
    poller.until(() -> connection.postReceive(0, answers, 0, 8), "room for a receive");
    poller.until(
        () -> connection.postInlineSend(0, message, 0, 8, SendFlags.SIGNALLED),
        "room in the send queue");
    poller.until(() -> poller.received() >= expected, "the echo");
  }
}
