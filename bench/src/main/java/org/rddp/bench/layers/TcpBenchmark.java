package org.rddp.bench.layers;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Checksum;

/**
 * CPU time of TCP for a segment of one connection, received and sent, with one segment in a turn
 * and with 32. Both checksums included; device and handler cost almost nothing.
 */
public class TcpBenchmark extends LayerBenchmark {
  static final int SEGMENTS = 32;
  private static final long TURN = 1_000;

  /** An established connection. */
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

    /** Opens the connection. */
    @Setup
    public void open() {
      Checksum.warmUp(Thread::yield).run();
      peers = new PeerDevice(1, payload);
      TcpSettings settings =
          TcpSettings.DEFAULTS.withAcknowledgmentDelay(TimeUnit.MICROSECONDS.toNanos(5));
      stack = peers.stack(settings, new SplittableRandom(1));
      user = peers.open(stack, this::turn)[0];
      openWindow();
      peers.burst(burst);
    }

    /** Runs slow start, until several bursts of full segments may be sent at once. */
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

    /** The peer sends bursts, each of which acknowledges the answer to the one before. */
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

    long taken() {
      return user.taken();
    }

    long sent() {
      return sent;
    }

    /** Before each burst. */
    @Setup(Level.Invocation)
    public abstract void prepare();
  }

  /** The peer has sent a burst. */
  public static class Receiving extends Established {
    @Override
    public void prepare() {
      arrive();
    }
  }

  /** All segments sent are acknowledged. */
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

  /** The peer has sent a burst, which is answered with as many segments. */
  public static class Answering extends Established {
    @Override
    public void prepare() {
      arriveAcknowledging();
    }
  }

  /** Receives segments and passes their octets; every second segment is acknowledged. */
  @Benchmark
  @OperationsPerInvocation(SEGMENTS)
  public int received(Receiving state) {
    return state.receive();
  }

  /** Sends segments, up to the device. */
  @Benchmark
  @OperationsPerInvocation(SEGMENTS)
  public int sent(Sending state) {
    return state.send();
  }

  /** Receives segments, and sends as many, which acknowledge them. */
  @Benchmark
  @OperationsPerInvocation(SEGMENTS)
  public int answered(Answering state) {
    return state.answer();
  }
}
