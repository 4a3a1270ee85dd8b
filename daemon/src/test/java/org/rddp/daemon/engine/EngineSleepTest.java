package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;
import org.rddp.daemon.configuration.IdleMode;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.WrappedDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.UnixSocket;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/** What wakes an engine's thread, and how often. */
@Timeout(60)
class EngineSleepTest {
  private static final Ipv4Address ADDRESS = Ipv4Address.parse("10.0.0.1");

  /** What ends a sleep here comes before it, or never. */
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final EventFd frames = EventFd.create();
  private final FrameDevice device = new InterruptingDevice();
  private final Engine engine =
      new Engine(
          "test",
          new InterfaceAddress(ADDRESS, 24),
          new TcpStack(
              device,
              new InterfaceAddress(ADDRESS, 24),
              TcpSettings.DEFAULTS,
              new SplittableRandom(1),
              System.nanoTime()),
          new DdpEngine(new TaggedBuffers(1, new SplittableRandom(1))),
          new RdmapSettings(MpaSettings.DEFAULTS, 16, 16),
          new FaultHandler() {
            @Override
            public void onFault(String where, Throwable cause) {
              throw new AssertionError(where, cause);
            }

            @Override
            public void onRefused(String detail) {}
          });
  private final Engine[] engines = {engine};
  private final EngineSleep sleep = EngineSleep.of(List.of(device), LONGEST_NANOS);
  private final WakeSocket[] ends = WakeSocket.pair();
  private final Signals signals = new Signals();
  private final MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(16, 16), 64);
  private final Session session;
  private final ProgramRings program;

  EngineSleepTest() throws Exception {
    engine.sleepBy(sleep);
    DaemonRings rings = new DaemonRings(memory, 16, 16);
    rings.allowSleep();
    SessionLimits limits = new SessionLimits(16, 16, 16, 168, 16, 8, 16, 1 << 20);
    session = new Session("program", engine, limits, rings, ends[0]::signal, new IgnoringHandler());
    program = new ProgramRings(memory, ends[1]::signal);
    engine.begin(session);
    sleep.add(session, signals);
    takeTurns();
  }

  /** The first turns announce the address, and later ones do so once more. */
  private void takeTurns() {
    while (engine.turn(System.nanoTime()) > 0) {
      // Until there is no work.
    }
  }

  @AfterEach
  void close() {
    engine.close();
    sleep.close();
    ends[0].close();
    ends[1].close();
    frames.close();
  }

  /** Whether something wakes the thread before its longest sleep is over. */
  private boolean isWoken() {
    sleep.announce();
    return endSleep();
  }

  private boolean endSleep() {
    boolean woken = sleep.await(engines);
    sleep.end();
    return woken;
  }

  @Test
  void shouldSleepAsLongAsItMayWithoutWork() {
    long before = engine.counters().sleeps;
    assertThat(isWoken()).isFalse();
    assertThat(engine.counters().sleeps).isEqualTo(before + 1);
    assertThat(engine.counters().wakes).isZero();
  }

  /** Otherwise a daemon without work would raise alarms. */
  @Test
  void shouldNotCountTimeAsleepAsTimeWithoutATurn() {
    EngineThread thread =
        new EngineThread(
            "test",
            List.of(engine),
            IdleMode.INTERRUPT,
            sleep,
            () -> {},
            () -> {},
            cause -> {
              throw new AssertionError(cause);
            });
    thread.start();
    while (thread.sinceTurn() != 0) {
      Thread.onSpinWait();
    }
    thread.stop();
    assertThat(thread.awaitEnd(TimeUnit.SECONDS.toNanos(10))).isTrue();
    assertThat(thread.sinceTurn()).isPositive();
  }

  /** Another engine's, whose thread has not ended yet. */
  @Test
  void shouldIgnoreAWakeUpAfterItsEnd() {
    sleep.announce();
    sleep.close();
    assertThatCode(sleep::wake).doesNotThrowAnyException();
  }

  @Test
  void shouldWakeForACommand() {
    sleep.announce();
    engine.execute(() -> {});
    assertThat(endSleep()).isTrue();
    assertThat(engine.counters().wakes).isEqualTo(1);
    engine.execute(() -> {});
    assertThat(isWoken()).as("a command of a thread that was awake").isFalse();
  }

  @Test
  void shouldWakeForARequestOfAProgram() {
    sleep.announce();
    post();
    post();
    assertThat(endSleep()).isTrue();
    assertThat(isWoken()).as("both requests have one signal").isFalse();
    post();
    assertThat(isWoken()).as("a request of the time when it was awake").isFalse();
  }

  private void post() {
    program.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 1, 7).memory(1, 2, 3).submit();
  }

  @Test
  void shouldWakeOnceForASignalThatComesLate() {
    ends[1].signal();
    assertThat(isWoken()).isTrue();
    assertThat(isWoken()).isFalse();
  }

  /** What a program sends with them may take long to release. */
  @Test
  void shouldTellThatSignalsHaveComeAndReadNone() throws Exception {
    for (int i = 1; i <= 3; i++) {
      sleep.announce();
      post();
      assertThat(endSleep()).isTrue();
      takeTurns();
      assertThat(signals.taken).isEqualTo(i);
    }
    assertThat(UnixSocket.hasUnreceived(ends[1].descriptor())).isTrue();
  }

  /** The kernel looks again when the thread runs, and finds nothing: it would go on waiting. */
  @Test
  void shouldWakeForASignalThatAnotherThreadHasReadBefore() {
    sleep.announce();
    post();
    sleep.clear(ends[0]);
    assertThat(endSleep()).isTrue();
    sleep.clear(ends[0]);
    assertThat(isWoken()).as("a thread that is awake need not be woken").isFalse();
  }

  @Test
  void shouldNotWakeForAProgramThatHasGone() {
    engine.end(session);
    sleep.remove(session);
    ends[1].signal();
    assertThat(isWoken()).isFalse();
  }

  @Test
  void shouldWakeOnceForFrames() {
    frames.signal();
    assertThat(isWoken()).isTrue();
    assertThat(isWoken()).as("nobody reads the device's descriptor").isFalse();
    // A timer may be due after that sleep.
    takeTurns();
    frames.signal();
    assertThat(isWoken()).isTrue();
  }

  @Test
  void shouldEnableTheDevicesInterruptWhileItSleeps() {
    InterruptingDevice interrupting = (InterruptingDevice) device;
    sleep.announce();
    assertThat(interrupting.enabled).isTrue();
    sleep.end();
    assertThat(interrupting.enabled).isFalse();
  }

  /** A device whose frames are signalled by an eventfd. */
  private final class InterruptingDevice extends WrappedDevice {
    private boolean enabled;

    InterruptingDevice() {
      super(LoopedDevice.pair(pool(256), pool(256), 1500, 64)[0]);
    }

    private static NativePacketPool pool(int packets) {
      return new NativePacketPool(packets, 1514);
    }

    @Override
    public int interrupt() {
      return frames.descriptor().number();
    }

    @Override
    public void enableInterrupt(boolean on) {
      enabled = on;
    }
  }

  /** Those of the program, which nobody reads. */
  private final class Signals implements ProgramSignals {
    private int taken;
    private boolean full;

    @Override
    public Descriptor descriptor() {
      return ends[0].descriptor();
    }

    @Override
    public void onSignal() {
      taken++;
    }

    @Override
    public boolean isFull() {
      return full;
    }
  }

  /** Takes no notice of what the session tells its program. */
  private static final class IgnoringHandler implements SessionHandler {
    @Override
    public void send(DaemonMessage message) {}

    @Override
    public void onBroken(String detail) {}
  }
}
