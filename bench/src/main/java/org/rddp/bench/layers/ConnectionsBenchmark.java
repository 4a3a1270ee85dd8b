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

/**
 * What a segment costs, received or sent, among so many connections of which each is as likely to
 * be the next: how far the state of a connection has to be fetched from memory. Bursts of 32
 * segments of 64 octets, timestamps on; the peers' own work is not measured.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ConnectionsBenchmark {
  private static final int BURST = 32;
  private static final int PAYLOAD = 64;

  /** Virtual time between bursts. */
  private static final long TURN = 10_000;

  /** So many connections, established and idle, and the burst that comes next. */
  @State(Scope.Thread)
  public abstract static class Established {
    /** How many. */
    @Param({"1", "1000", "100000"})
    public int connections;

    final int[] burst = new int[BURST];
    private final SplittableRandom random = new SplittableRandom(1);
    PeerDevice peers;
    TcpStack stack;
    PayloadHandler[] users;
    long now;
    private int accepted;

    /** Opens the connections. */
    @Setup
    public void open() {
      peers = new PeerDevice(connections, PAYLOAD);
      users = new PayloadHandler[connections];
      TcpSettings settings =
          TcpSettings.DEFAULTS
              .withConnections(connections + 1)
              .withPeerConnections(connections + 1)
              .withAcknowledgmentDelay(TimeUnit.MILLISECONDS.toNanos(500));
      InterfaceAddress address = new InterfaceAddress(Ipv4Address.parse("10.0.0.1"), 8);
      stack = new TcpStack(peers, address, settings, random, now);
      stack.listen(
          PeerDevice.PORT,
          (stream, remote, port) -> users[accepted++] = new PayloadHandler(stream, PAYLOAD));
      for (int i = 0; i < connections; i++) {
        peers.syn(i);
        turn();
        turn();
        peers.acknowledgeSyn(i);
        turn();
      }
      if (accepted != connections) {
        throw new IllegalStateException(accepted + " of " + connections + " connections");
      }
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

    void sendBurst() {
      for (int index : burst) {
        users[index].send();
      }
    }

    /** The peers acknowledge what the burst has sent. */
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

  /** The peers of a burst have sent; the burst before is answered and thereby acknowledged. */
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

  /** What the burst before has sent is acknowledged. */
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

  /** A burst is received, timers are looked at, and octets are handed to their users. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public int received(Receiving state) {
    return state.stack.receive(state.now) + state.stack.advance(state.now);
  }

  /** Users send a segment each, timers are looked at, and the segments are handed to the device. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public int sent(Sending state) {
    state.sendBurst();
    return state.stack.advance(state.now) + state.stack.transmit(state.now);
  }
}
