package org.rddp.bench.layers;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.Ipv4Address;
import org.rddp.wire.Checksum;

/**
 * Two whole engines with a session each, joined by a link, and both programs: in one thread, which
 * takes turns for all of them. What it costs is what a message costs from end to end, when nobody
 * waits for anybody.
 */
final class EnginePair {
  private static final int PORT = 7;
  private static final int PACKETS = 4096;
  private static final int QUEUED = 1024;
  private static final long STARTUP = TimeUnit.MICROSECONDS.toNanos(10);
  private static final long TURN = TimeUnit.MICROSECONDS.toNanos(1);
  private static final int MOST_TURNS = 10_000;
  private static final Ipv4Address ONE = Ipv4Address.parse("10.0.0.1");
  private static final Ipv4Address TWO = Ipv4Address.parse("10.0.0.2");

  private final EngineWithProgram first;
  private final EngineWithProgram second;
  private long now = System.nanoTime();
  private long turns;

  /**
   * Programs that are connected.
   *
   * @param one the first engine's device
   * @param two the second's, which what the first transmits reaches
   * @param octets of each program's source and sink, a multiple of 8
   * @param packing whether FPDUs share segments
   */
  EnginePair(FrameDevice one, FrameDevice two, int octets, boolean packing) {
    Checksum.warmUp(Thread::yield).run();
    try {
      first = new EngineWithProgram("one", ONE, one, octets, packing, now);
      second = new EngineWithProgram("two", TWO, two, octets, packing, now);
      second.listen(PORT);
      now += STARTUP;
      first.connect(TWO, PORT);
      for (int i = 0; !(first.connected() && second.connected()); i++) {
        turn(STARTUP);
        first.acceptIfAsked();
        second.acceptIfAsked();
        if (i == MOST_TURNS) {
          throw new IllegalStateException("the programs do not get connected");
        }
      }
    } catch (IOException | RequestRefusedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Over a link of Java alone.
   *
   * @param octets of each program's source and sink, a multiple of 8
   * @param mtu of the link
   * @param packing whether FPDUs share segments
   */
  static EnginePair overLink(int octets, int mtu, boolean packing) {
    NativePacketPool pool = new NativePacketPool(PACKETS, 9216);
    LoopedDevice[] link = LoopedDevice.pair(pool, pool, mtu, QUEUED);
    return new EnginePair(link[0], link[1], octets, packing);
  }

  private void turn(long passes) {
    now += passes;
    first.engine().turn(now);
    second.engine().turn(now);
    turns++;
  }

  /** The engine of the first program. */
  Engine firstEngine() {
    return first.engine();
  }

  /** The engine of the second program. */
  Engine secondEngine() {
    return second.engine();
  }

  /**
   * The first program writes so many times, its engine and the other take a turn each (several at
   * first, until TCP's windows are open); then the same the other way, which acknowledges the
   * first.
   *
   * @param time now
   * @return how often the programs have written so far
   */
  long toAndFro(int writes, long time) {
    write(writes, first, second, time);
    write(writes, second, first, time);
    return first.written() + second.written();
  }

  private static void write(int writes, EngineWithProgram from, EngineWithProgram to, long time) {
    from.write(writes, to);
    int turns = 0;
    do {
      from.engine().turn(time);
      to.engine().turn(time);
      turns++;
    } while (!to.has(from.written()) && turns < MOST_TURNS);
    if (turns == MOST_TURNS) {
      throw new IllegalStateException("a write has not arrived");
    }
    from.poll();
  }

  /**
   * The first program posts requests, and both engines take turns, under a clock of their own,
   * until both programs have all of their completions.
   *
   * @return how many requests that were
   */
  int exchange(RequestKind kind, int requests) {
    long sent = first.sent() + requests;
    long received = second.received();
    if (kind.takesReceive()) {
      second.receive(requests);
      received += requests;
    }
    first.request(kind, requests, second);
    for (int i = 0; first.sent() < sent || second.received() < received; i++) {
      turn(TURN);
      first.poll();
      second.poll();
      if (i == MOST_TURNS) {
        throw new IllegalStateException("requests do not end: " + kind);
      }
    }
    return requests;
  }

  /** The first program. */
  EngineWithProgram first() {
    return first;
  }

  /** The second program. */
  EngineWithProgram second() {
    return second;
  }

  /** Turns that each engine has taken under the clock of {@link #exchange}. */
  long turns() {
    return turns;
  }
}
