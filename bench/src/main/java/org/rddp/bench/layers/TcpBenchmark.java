package org.rddp.bench.layers;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Checksum;

/**
 * What TCP costs for a segment of one connection, received and sent, when each comes in a turn of
 * its own and when 32 share one. Both checksums included; the device and the user cost next to
 * nothing.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TcpBenchmark {
  static final int SEGMENTS = 32;
  private static final long TURN = 1_000;

  /** A connection that is established. */
  @State(Scope.Thread)
  public abstract static class Established {
    /** Octets of payload: the FPDU of a write of 64 octets, and a full segment. */
    @Param({"84", "1448"})
    public int payload;

    /** Segments in a turn. */
    @Param({"1", "32"})
    public int burst;

    private PeerDevice peers;
    private TcpStack stack;
    private PayloadHandler user;
    private long now;
    private long sent;

    /** Opens it. */
    @Setup
    public void open() {
      Checksum.warmUp(Thread::yield).run();
      peers = new PeerDevice(1, payload);
      TcpSettings settings =
          TcpSettings.DEFAULTS.withAcknowledgmentDelay(TimeUnit.MICROSECONDS.toNanos(5));
      InterfaceAddress address = new InterfaceAddress(Ipv4Address.parse("10.0.0.1"), 8);
      stack = new TcpStack(peers, address, settings, new SplittableRandom(1), now);
      stack.listen(
          PeerDevice.PORT, (stream, remote, port) -> user = new PayloadHandler(stream, payload));
      peers.syn(0);
      turn();
      turn();
      peers.acknowledgeSyn(0);
      turn();
      openWindow();
      peers.burst(burst);
    }

    /** Slow start, until several bursts of full segments may leave at once. */
    private void openWindow() {
      for (int i = 0; i < 4 * SEGMENTS; i++) {
        user.send();
        sent += payload;
        peers.taken(0);
      }
      while (user.unacknowledged() > 0) {
        turn();
        peers.acknowledgeSeen(0);
        turn();
      }
    }

    private int turn() {
      now += TURN;
      int work = stack.receive(now);
      work += stack.advance(now);
      return work + stack.transmit(now);
    }

    void arrive() {
      for (int i = 0; i < SEGMENTS; i++) {
        peers.sendPayload(0);
      }
    }

    int receive() {
      int work = 0;
      for (int done = 0; done < SEGMENTS; done += burst) {
        work += turn();
      }
      return work;
    }

    int send() {
      int work = 0;
      for (int done = 0; done < SEGMENTS; done += burst) {
        for (int i = 0; i < burst; i++) {
          user.send();
          sent += payload;
        }
        now += TURN;
        work += stack.advance(now);
        work += stack.transmit(now);
      }
      return work;
    }

    /** The peer sends, in each burst acknowledging what answers the burst before. */
    void arriveAcknowledging() {
      for (int done = 0; done < SEGMENTS; done += burst) {
        for (int i = 0; i < burst; i++) {
          peers.sendPayload(0);
        }
        for (int i = 0; i < burst; i++) {
          peers.taken(0);
        }
      }
    }

    int answer() {
      int work = 0;
      for (int done = 0; done < SEGMENTS; done += burst) {
        now += TURN;
        work += stack.receive(now);
        for (int i = 0; i < burst; i++) {
          user.send();
          sent += payload;
        }
        work += stack.advance(now);
        work += stack.transmit(now);
      }
      return work;
    }

    void acknowledge() {
      for (int i = 0; i < SEGMENTS; i++) {
        peers.taken(0);
      }
      peers.acknowledge(0);
      stack.receive(now);
    }

    /** Octets that the user has taken. */
    long taken() {
      return user.taken();
    }

    /** Octets that the user has sent. */
    long sent() {
      return sent;
    }

    /** Before each burst. */
    @Setup(Level.Invocation)
    public abstract void prepare();
  }

  /** The peer has sent. */
  public static class Receiving extends Established {
    @Override
    public void prepare() {
      arrive();
    }
  }

  /** What was sent is acknowledged. */
  public static class Sending extends Established {
    private boolean begun;

    @Override
    public void prepare() {
      if (begun) {
        acknowledge();
      }
      begun = true;
    }
  }

  /** The peer has sent, and will hear as much. */
  public static class Answering extends Established {
    @Override
    public void prepare() {
      arriveAcknowledging();
    }
  }

  /** Segments are received and their octets passed; every second is acknowledged. */
  @Benchmark
  @OperationsPerInvocation(SEGMENTS)
  public int received(Receiving state) {
    return state.receive();
  }

  /** Segments are sent, to the point where the device takes them. */
  @Benchmark
  @OperationsPerInvocation(SEGMENTS)
  public int sent(Sending state) {
    return state.send();
  }

  /** Segments are received, and as many sent, which acknowledge them. */
  @Benchmark
  @OperationsPerInvocation(SEGMENTS)
  public int answered(Answering state) {
    return state.answer();
  }
}
