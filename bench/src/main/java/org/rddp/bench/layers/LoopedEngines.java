package org.rddp.bench.layers;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.Faults;
import org.rddp.daemon.engine.RefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.SessionEvents;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.Access;
import org.rddp.ipc.Completion;
import org.rddp.ipc.ConnectionSettings;
import org.rddp.ipc.DaemonMessage;
import org.rddp.ipc.DaemonRings;
import org.rddp.ipc.Opcode;
import org.rddp.ipc.ProgramRings;
import org.rddp.ipc.SessionLimits;
import org.rddp.ipc.SignalSender;
import org.rddp.ipc.WorkRequest;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Checksum;
import org.rddp.wire.Memory;

/**
 * Two whole engines with a session each, joined by a link, and both programs: in one thread, which
 * takes turns for all of them. What it costs is what a message costs from end to end, when nobody
 * waits for anybody.
 */
final class LoopedEngines {
  private static final int PORT = 7;
  private static final int SLOTS = 1024;
  private static final int PACKETS = 4096;
  private static final int SIGNAL_EVERY = 32;
  private static final long STARTUP = TimeUnit.MICROSECONDS.toNanos(10);
  private static final int MOST_TURNS = 1000;
  private static final byte[] NONE = {};

  private final int octets;
  private final NativePacketPool pool = new NativePacketPool(PACKETS, 9216);
  private final Side first;
  private final Side second;
  private long now = System.nanoTime();

  /**
   * Programs that are connected.
   *
   * @param octets of each program's source and sink, a multiple of 8
   * @param mtu of the link
   */
  LoopedEngines(int octets, int mtu) {
    this.octets = octets;
    Checksum.trial(Thread::yield).run();
    LoopedDevice[] link = LoopedDevice.pair(pool, pool, mtu, 1024);
    try {
      first = new Side("one", "10.0.0.1", link[0]);
      second = new Side("two", "10.0.0.2", link[1]);
      second.session.listen(PORT, 16, ConnectionSettings.RDMAP);
      now += STARTUP;
      first.session.connect(
          Ipv4Address.parse("10.0.0.2").bits(),
          PORT,
          NONE,
          TimeUnit.SECONDS.toNanos(10),
          ConnectionSettings.RDMAP);
      for (int i = 0; !(first.connected && second.connected); i++) {
        step();
        if (i == MOST_TURNS) {
          throw new IllegalStateException("the programs do not get connected");
        }
      }
    } catch (IOException | RefusedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void step() throws RefusedException {
    now += STARTUP;
    first.engine.turn(now);
    second.engine.turn(now);
    first.acceptIfAsked();
    second.acceptIfAsked();
  }

  /** The engine of the first program. */
  Engine firstEngine() {
    return first.engine;
  }

  /** The engine of the second program. */
  Engine secondEngine() {
    return second.engine;
  }

  /** Packets that somebody holds. */
  int packetsOut() {
    return pool.capacity() - pool.available();
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
    return first.written + second.written;
  }

  private static void write(int writes, Side from, Side to, long time) {
    from.write(writes, to);
    int turns = 0;
    do {
      from.engine.turn(time);
      to.engine.turn(time);
      turns++;
    } while (!to.has(from.written) && turns < MOST_TURNS);
    if (turns == MOST_TURNS) {
      throw new IllegalStateException("a write has not arrived");
    }
    from.poll();
  }

  /** A program and its engine. */
  private final class Side implements SessionEvents, Faults {
    private final Engine engine;
    private final Session session;
    private final ProgramRings rings;
    private final Completion completion = new Completion();
    private final long source = Memory.allocate(octets);
    private final long sink = Memory.allocate(octets);
    private final int sourceStag;
    private final int sinkStag;
    private int connection;
    private int asked;
    private boolean connected;
    private long written;

    Side(String name, String address, FrameDevice device) throws IOException, RefusedException {
      Random random = new Random(name.hashCode());
      Ipv4Address own = Ipv4Address.parse(address);
      TcpSettings tcpSettings =
          TcpSettings.DEFAULTS.withAcknowledgmentDelay(TimeUnit.MICROSECONDS.toNanos(5));
      TcpStack tcp = new TcpStack(device, new InterfaceAddress(own, 24), tcpSettings, random, now);
      DdpEngine ddp = new DdpEngine(new TaggedBuffers(1024, random));
      RdmapSettings rdmap = new RdmapSettings(MpaSettings.DEFAULTS.withReads(16, 16), 256, 256);
      engine = new Engine(name, own.bits(), tcp, ddp, rdmap, this);
      MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(SLOTS, SLOTS), 64);
      DaemonRings ends = new DaemonRings(memory, SLOTS, SLOTS);
      rings = new ProgramRings(memory);
      SessionLimits limits =
          new SessionLimits(SLOTS, 256, 256, WorkRequest.MAX_INLINE, 16, 16, 1L << 30);
      session = new Session(name, engine, limits, ends, SignalSender.create(), this);
      engine.begin(session);
      sourceStag = session.register(source, octets, Access.bits(), 0);
      sinkStag = session.register(sink, octets, Access.bits(Access.REMOTE_WRITE), 0);
    }

    void acceptIfAsked() throws RefusedException {
      if (asked != 0) {
        session.accept(asked, NONE);
        asked = 0;
      }
    }

    void write(int times, Side to) {
      for (int i = 0; i < times; i++) {
        written++;
        Memory.putLongNative(source + octets - Long.BYTES, written);
        int flags = written % SIGNAL_EVERY == 0 ? WorkRequest.SIGNALLED : 0;
        if (!rings.post(
            Opcode.WRITE, flags, written, connection, sourceStag, 0, octets, to.sinkStag, 0)) {
          throw new IllegalStateException("no room for a request");
        }
      }
    }

    boolean has(long number) {
      return Memory.getLongNative(sink + octets - Long.BYTES) == number;
    }

    void poll() {
      while (rings.poll(completion)) {
        if (!completion.isSuccess()) {
          throw new IllegalStateException("a request failed: " + completion);
        }
      }
      rings.publish();
    }

    @Override
    public void send(DaemonMessage message) {
      if (message instanceof DaemonMessage.ConnectionRequested requested) {
        asked = requested.connection();
      } else if (message instanceof DaemonMessage.Established established) {
        connection = established.connection();
        connected = true;
      } else {
        throw new IllegalStateException("not expected: " + message);
      }
    }

    @Override
    public void onBroken(String detail) {
      throw new IllegalStateException(detail);
    }

    @Override
    public void onFault(String where, Throwable cause) {
      throw new IllegalStateException(where, cause);
    }

    @Override
    public void onRefused(String detail) {
      throw new IllegalStateException(detail);
    }
  }
}
