package org.rddp.daemon.engine;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rddp.device.FrameDevice;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EpollSet;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.WakeSocket;

/**
 * The sleep of an idle engine thread, until a frame, a program's request, another thread's command,
 * or a due timer.
 *
 * <p>No work is missed: the thread announces its sleep, makes a full fence, and checks for work in
 * one more turn before it waits. A program or thread publishes its work, makes a full fence, and
 * then checks whether a sleep is announced.
 *
 * <p>The descriptors are edge-triggered and the thread never reads them, so a sleep and its end are
 * one system call. A late signal, for work that the thread has found by itself, ends the next
 * sleep.
 *
 * <p>For the thread, except {@link #wake} and {@link #isAllowed}, which any thread may call.
 */
public final class EngineSleep implements AutoCloseable {
  /** The longest sleep, in case a wake-up is missed. */
  private static final long LONGEST = TimeUnit.SECONDS.toNanos(2);

  /** The longest sleep while there may be work that does not wake the thread. */
  private static final long POLLING = TimeUnit.MICROSECONDS.toNanos(100);

  /** The sleep of a thread that never sleeps. */
  static final EngineSleep NEVER = new EngineSleep(null, null, List.of(), LONGEST);

  private final EpollSet wakers;

  /** Signalled by other threads. */
  private final EventFd commands;

  private final FrameDevice[] devices;
  private final long longestNanos;
  private final List<Program> programs = new ArrayList<>();
  private volatile boolean announced;

  /** Keeps the descriptors open while other threads signal. */
  private final Object closing = new Object();

  private boolean closed;

  /** What a program works on, and the signals by which its program wakes the thread. */
  private record Program(SleepAware session, ProgramSignals signals) {}

  private EngineSleep(
      EpollSet wakers, EventFd commands, List<FrameDevice> devices, long longestNanos) {
    this.wakers = wakers;
    this.commands = commands;
    this.devices = devices.toArray(FrameDevice[]::new);
    this.longestNanos = longestNanos;
  }

  /**
   * Creates the sleep of a thread that serves these devices.
   *
   * @param devices must stay open as long as this is used
   */
  public static EngineSleep of(List<FrameDevice> devices) throws SystemCallException {
    return of(devices, LONGEST);
  }

  /**
   * Creates the sleep of a thread that serves these devices.
   *
   * @param devices must stay open as long as this is used
   * @param longestNanos the longest sleep, in ns, if nothing wakes the thread
   */
  static EngineSleep of(List<FrameDevice> devices, long longestNanos) throws SystemCallException {
    EventFd commands = EventFd.create();
    EpollSet wakers = EpollSet.of();
    wakers.addEdgeTriggered(commands.descriptor().number());
    for (FrameDevice device : devices) {
      if (device.interrupt() >= 0) {
        wakers.addEdgeTriggered(device.interrupt());
      }
    }
    return new EngineSleep(wakers, commands, devices, longestNanos);
  }

  /**
   * Adds the interrupts of devices whose ports have been opened again. The thread may not be
   * sleeping.
   *
   * @throws IllegalStateException if the kernel has no memory for that
   */
  void devicesReopened() {
    if (!isAllowed()) {
      return;
    }
    try {
      for (FrameDevice device : devices) {
        if (device.interrupt() >= 0) {
          wakers.remove(device.interrupt());
          wakers.addEdgeTriggered(device.interrupt());
        }
      }
    } catch (SystemCallException e) {
      throw new IllegalStateException("a device cannot wake the engine: " + e.getMessage(), e);
    }
  }

  /** Whether the thread ever sleeps, so that programs must wake it. */
  public boolean isAllowed() {
    return wakers != null;
  }

  /**
   * Adds the signals by which a program wakes the thread.
   *
   * @throws IllegalStateException if the kernel has no memory for that
   */
  public void add(SleepAware session, ProgramSignals signals) {
    if (isAllowed()) {
      try {
        wakers.addEdgeTriggered(signals.descriptor().number());
        programs.add(new Program(session, signals));
      } catch (SystemCallException e) {
        throw new IllegalStateException("a program cannot wake the engine: " + e.getMessage(), e);
      }
    }
  }

  /** Adds a descriptor that wakes the thread while it is readable. */
  void add(Descriptor waker) {
    if (isAllowed()) {
      try {
        wakers.addEdgeTriggered(waker.number());
      } catch (SystemCallException e) {
        throw new IllegalStateException("sockets cannot wake the engine: " + e.getMessage(), e);
      }
    }
  }

  /** Removes an ended session. Call before its descriptor is closed. */
  public void remove(SleepAware session) {
    for (int i = 0; i < programs.size(); i++) {
      if (programs.get(i).session().equals(session)) {
        wakers.remove(programs.remove(i).signals().descriptor());
        return;
      }
    }
  }

  /** Announces that the thread is about to sleep. It makes another turn before it does. */
  void announce() {
    announced = true;
    for (int i = 0; i < programs.size(); i++) {
      programs.get(i).session().announceSleep();
    }
    for (FrameDevice device : devices) {
      device.enableInterrupt(true);
    }
    VarHandle.fullFence();
  }

  /** Whether the thread is about to sleep. */
  boolean isAnnounced() {
    return announced;
  }

  /**
   * Sleeps, if the turn since {@link #announce} has found no work. Returns whether something has
   * woken it.
   */
  boolean await(Engine[] engines) {
    long longest = isPolling(engines) ? POLLING : longestNanos;
    long now = System.nanoTime();
    for (Engine engine : engines) {
      long deadline = engine.nextDeadline();
      if (deadline <= now) {
        return false;
      }
      longest = Math.min(longest, deadline - now);
    }
    for (Engine engine : engines) {
      engine.counters().sleeps++;
    }
    boolean woken = wakers.await(longest);
    if (woken) {
      for (Engine engine : engines) {
        engine.counters().wakes++;
      }
    }
    return woken;
  }

  private boolean isPolling(Engine[] engines) {
    for (FrameDevice device : devices) {
      if (device.interrupt() == FrameDevice.POLLED) {
        return true;
      }
    }
    for (Engine engine : engines) {
      if (engine.hasUnsentFrames()) {
        return true;
      }
    }
    for (int i = 0; i < programs.size(); i++) {
      Program program = programs.get(i);
      if (program.session().isBlocked() || program.signals().isFull()) {
        return true;
      }
    }
    return false;
  }

  /** Ends the announcement: the thread is awake, or has found work in its last turn. */
  void end() {
    announced = false;
    for (int i = 0; i < programs.size(); i++) {
      Program program = programs.get(i);
      if (program.session().endSleep()) {
        program.signals().onSignal();
      }
    }
    for (FrameDevice device : devices) {
      device.enableInterrupt(false);
    }
  }

  /**
   * Ends the sleep, or prevents it. Call after a command or packet was queued for an engine. Any
   * thread, even after the engine's thread has ended.
   */
  public void wake() {
    if (announced) {
      synchronized (closing) {
        if (!closed) {
          commands.signal();
        }
      }
    }
  }

  /**
   * Reads a program's signals, and ends the sleep: the thread may not have noticed the last of them
   * yet, and an edge whose octets are gone ends no wait. Any thread.
   *
   * @param signals the daemon's end of the program's wake-up socket
   */
  public void clear(WakeSocket signals) {
    signals.clear();
    wake();
  }

  @Override
  public void close() {
    if (!isAllowed()) {
      return;
    }
    synchronized (closing) {
      if (!closed) {
        closed = true;
        wakers.close();
        commands.close();
      }
    }
  }
}
