package org.rddp.bench.layers;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.rddp.tcp.BurstPrefetch;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * CPU time of a segment, received or sent, on a random one of many connections, whose state is
 * therefore not cached. Bursts of 32 segments of 64 octets, timestamps on; the peers' work is not
 * measured.
 */
@BenchmarkMode(Mode.AverageTime)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class ConnectionsBenchmark extends LayerBenchmark {
  private static final int BURST = 32;
  private static final int PAYLOAD = 64;

  /** Virtual time between bursts. */
  private static final long TURN = 10_000;

  /** Established connections, and the next burst. */
  @State(Scope.Thread)
  public abstract static class Established {
    /** The number of connections. */
    @Param({"1", "1000", "100000"})
    public int connections;

    final int[] burst = new int[BURST];
    private final SplittableRandom random = new SplittableRandom(1);
    PeerDevice peers;
    TcpStack stack;
    BurstPrefetch prefetch;
    PayloadHandler[] users;
    long now;

    /** Opens the connections. */
    @Setup
    public void open() {
      peers = new PeerDevice(connections, PAYLOAD);
      TcpSettings settings =
          TcpSettings.DEFAULTS
              .withConnections(connections + 1)
              .withPeerConnections(connections + 1)
              .withAcknowledgmentDelay(TimeUnit.MILLISECONDS.toNanos(500));
      stack = peers.stack(settings, random);
      prefetch = stack.prefetch(BURST);
      users = peers.open(stack, this::turn);
    }

    void turn() {
      now += TURN;
      stack.receive(now);
      stack.advance(now);
      stack.transmit(now);
    }

    void draw() {
      for (int i = 0; i < BURST; i++) {
        burst[i] = random.nextInt(connections);
      }
    }

    /** Sends as the daemon does for a program with requests for many connections. */
    void sendBurst() {
      if (prefetch.worthwhile()) {
        for (int index : burst) {
          prefetch.add(users[index].stream());
        }
        prefetch.prefetchSending();
      }
      for (int index : burst) {
        users[index].send();
      }
    }

    /** The peers acknowledge the burst. */
    void acknowledgeBurst() {
      for (int index : burst) {
        peers.taken(index);
      }
      for (int index : burst) {
        peers.acknowledge(index);
      }
      stack.receive(now);
    }

    /** Before each burst. */
    @Setup(Level.Invocation)
    public abstract void prepare();
  }

  /** The peers have sent a burst; the burst before has been answered. */
  public static class Receiving extends Established {
    private boolean begun;

    @Override
    public void prepare() {
      if (begun) {
        sendBurst();
        stack.transmit(now);
        acknowledgeBurst();
      }
      begun = true;
      draw();
      for (int index : burst) {
        peers.sendPayload(index);
      }
      now += TURN;
    }
  }

  /** The burst before has been acknowledged. */
  public static class Sending extends Established {
    private boolean begun;

    @Override
    public void prepare() {
      if (begun) {
        acknowledgeBurst();
      }
      begun = true;
      draw();
      now += TURN;
    }
  }

  /** Receives a burst, runs timers, and hands octets to their users. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public int received(Receiving state) {
    return state.stack.receive(state.now) + state.stack.advance(state.now);
  }

  /** Sends a segment each, runs timers, and hands the segments to the device. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public int sent(Sending state) {
    state.sendBurst();
    return state.stack.advance(state.now) + state.stack.transmit(state.now);
  }
}
