package org.rddp.bench.layers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.Offloads;
import org.rddp.device.WrappedDevice;
import org.rddp.group.StackGroup;
import org.rddp.group.StackMember;
import org.rddp.ip.Ipv4Address;
import org.rddp.wire.Checksum;

/**
 * Two whole engines with a session each, joined by a link, and both programs, on one thread: the
 * CPU time of a message from end to end.
 */
final class EnginePair {
  private static final int PORT = 7;
  private static final int PACKETS = 4096;
  private static final int QUEUED = 1024;
  private static final long STARTUP = TimeUnit.MICROSECONDS.toNanos(10);
  private static final long TURN = TimeUnit.MICROSECONDS.toNanos(1);
  private static final int MOST_TURNS = 10_000;
  private static final int LONG_PACKETS = 256;
  private static final Ipv4Address ONE = Ipv4Address.parse("10.0.0.1");
  private static final Ipv4Address TWO = Ipv4Address.parse("10.0.0.2");

  private final EngineWithProgram first;
  private final EngineWithProgram second;
  private long now = System.nanoTime();
  private long turns;

  /**
   * Two connected programs.
   *
   * @param one the first engine's device
   * @param two the second engine's device, at the other end of the link
   * @param octets of each program's source and sink, a multiple of 8
   * @param packing whether FPDUs share segments
   */
  EnginePair(FrameDevice one, FrameDevice two, int octets, boolean packing) {
    this(one, StackGroup.alone(), two, StackGroup.alone(), octets, packing);
  }

  private EnginePair(
      FrameDevice one,
      StackMember oneMember,
      FrameDevice two,
      StackMember twoMember,
      int octets,
      boolean packing) {
    Checksum.warmUp(Thread::yield).run();
    try {
      first = new EngineWithProgram("one", ONE, one, oneMember, octets, packing, now);
      second = new EngineWithProgram("two", TWO, two, twoMember, octets, packing, now);
      second.listen(PORT);
      now += STARTUP;
      first.connect(TWO, PORT);
      for (int i = 0; !(first.connected() && second.connected()); i++) {
        turn(STARTUP);
        first.acceptIfAsked();
        second.acceptIfAsked();
        if (i == MOST_TURNS) {
          throw new IllegalStateException("the programs do not connect");
        }
      }
    } catch (IOException | RequestRefusedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Engines over a link in Java alone.
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

  /**
   * Engines over a link in Java alone that keeps octets intact, as a ring does.
   *
   * @param octets of each program's source and sink, a multiple of 8
   * @param mtu of the link
   * @param longest octets of a frame of several segments; {@code mtu} for none
   * @param checksums whether TCP computes and checks its checksums all the same
   */
  static EnginePair overRing(int octets, int mtu, int longest, boolean checksums) {
    NativePacketPool pool =
        new NativePacketPool(PACKETS, 9216, LONG_PACKETS, Math.max(longest + 64, 9216));
    LoopedDevice[] link = LoopedDevice.pair(pool, pool, mtu, longest, QUEUED);
    return checksums
        ? new EnginePair(link[0], link[1], octets, false)
        : new EnginePair(new IntactLink(link[0]), new IntactLink(link[1]), octets, false);
  }

  /** An end of a link on which no checksum is needed. */
  private static final class IntactLink extends WrappedDevice {
    IntactLink(FrameDevice device) {
      super(device);
    }

    @Override
    public int offloads() {
      return Offloads.CHECKSUM | Offloads.VERDICT;
    }

    @Override
    public void requestOffload(long packet, int link, int ip, int tcp, int segment) {}

    @Override
    public int checksum(long packet) {
      return Offloads.GOOD;
    }
  }

  /**
   * Pairs whose first engines share one interface, and whose second engines another. Each pair has
   * a link of its own, as queues that a card steers to. Different pairs may be used on different
   * threads.
   *
   * @param octets of each program's source and sink, a multiple of 8
   */
  static List<EnginePair> sharing(int pairs, int octets) {
    StackGroup ones = new StackGroup(pairs);
    StackGroup twos = new StackGroup(pairs);
    List<EnginePair> all = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      NativePacketPool pool = new NativePacketPool(PACKETS, 2048);
      LoopedDevice[] link = LoopedDevice.pair(pool, pool, 1500, QUEUED);
      all.add(new EnginePair(link[0], ones.member(i), link[1], twos.member(i), octets, true));
    }
    return all;
  }

  private void turn(long passes) {
    now += passes;
    first.engine().turn(now);
    second.engine().turn(now);
    turns++;
  }

  Engine firstEngine() {
    return first.engine();
  }

  Engine secondEngine() {
    return second.engine();
  }

  /**
   * The first program writes, and each engine runs a turn (several at first, until TCP's windows
   * are open); then the same in the other direction, which acknowledges the first.
   *
   * @param time now
   * @return writes of both programs so far
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
   * The first program posts requests, and both engines run turns by a clock of their own, until
   * both programs have all completions.
   *
   * @return {@code requests}
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

  /** Turns of each engine by the clock of {@link #exchange}. */
  long turns() {
    return turns;
  }
}
