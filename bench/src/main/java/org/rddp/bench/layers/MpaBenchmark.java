package org.rddp.bench.layers;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rddp.analysis.UlpduAdapter;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.testing.InMemoryTcpPair;
import org.rddp.wire.Memory;

/**
 * CPU time of MPA for an FPDU, sent (with the copy into the packet) and received (with the CRC).
 * Bursts of 32, each FPDU in a segment of its own; TCP and the handler cost almost nothing.
 */
public class MpaBenchmark extends LayerBenchmark {
  static final int BURST = 32;

  /** Octets of the first part of each ULPDU: DDP's header of a Tagged Message. */
  private static final int HEADER = 14;

  /** Two ends in Full Operation. */
  @State(Scope.Thread)
  public abstract static class Ends {
    /** Octets of a ULPDU: with 64 of payload, and filling segments of 1460 and 8956 octets. */
    @Param({"78", "1454", "8950"})
    public int ulpdu;

    /** Whether the receiver asks for Markers. */
    @Param({"false", "true"})
    public boolean markers;

    private final Counting user = new Counting();
    private final long memory = Memory.allocate(1 << 14);
    private final Counting source = new Counting();
    private MpaConnection initiator;
    private InMemoryTcpPair streams;
    private long expected;

    /** Starts them up. */
    @Setup
    public void open() {
      MpaSettings settings = MpaSettings.DEFAULTS.withMarkers(markers).withEarly(true);
      byte[] none = {};
      streams =
          new InMemoryTcpPair(
              MpaStartup.initiator(MpaSettings.DEFAULTS, none, source, source),
              MpaStartup.responder(settings, user, user),
              ulpdu + 128);
      streams.run(() -> {});
      initiator = source.mpa();
    }

    int sendBurst() {
      int sent = 0;
      for (int i = 0; i < BURST; i++) {
        if (initiator.send(memory, HEADER, memory + 1024, ulpdu - HEADER)) {
          sent++;
        }
      }
      expected += (long) sent * ulpdu;
      return sent;
    }

    int receiveBurst() {
      int received = streams.deliverFirst();
      if (user.octets != expected) {
        throw new IllegalStateException(user.octets + " octets of " + expected + " passed");
      }
      return received;
    }

    /** Before each burst. */
    @Setup(Level.Invocation)
    public abstract void prepare();
  }

  /** A burst has been sent. */
  public static class Receiving extends Ends {
    @Override
    public void prepare() {
      sendBurst();
    }
  }

  /** All FPDUs have been received. */
  public static class Sending extends Ends {
    @Override
    public void prepare() {
      receiveBurst();
    }
  }

  /** Finds, verifies and passes FPDUs. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public int received(Receiving state) {
    return state.receiveBurst();
  }

  /** Builds FPDUs in packets, and hands these to TCP. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public int sent(Sending state) {
    return state.sendBurst();
  }

  /** Counts the octets passed. */
  private static final class Counting extends UlpduAdapter {
    private long octets;

    @Override
    public void onUlpdu(Ulpdu ulpdu) {
      octets += ulpdu.length();
    }
  }
}
