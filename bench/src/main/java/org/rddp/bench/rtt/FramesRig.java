package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.RoundTrips;
import org.rddp.rig.WaitStrategy;
import org.rddp.wire.Memory;

/**
 * Raw frames over DPDK's net_ring, made to copy, between two threads with an end of the link each:
 * by the classes that the engine uses or, with the argument {@code c}, by a loop in C over the same
 * ports.
 */
public final class FramesRig extends TimedRig {
  private final WaitStrategy waiting = WaitStrategy.spinning();
  private final long source = Memory.allocate(RawFrames.LONGEST);
  private final long sink = Memory.allocate(RawFrames.LONGEST);
  private RingPorts joined;
  private CPingPong c;
  private RawFrames near;
  private PinnedThread<Void> echo;
  private int octets;

  @Override
  public void open(JsonObject arguments) throws Exception {
    boolean inC = arguments.has("c");
    if (inC && !CPingPong.isBuilt()) {
      throw new CannotRunException("native/build has made no " + CPingPong.LIBRARY);
    }
    joined = new RingPorts();
    c = inC ? new CPingPong(joined) : null;
    near = new RawFrames(joined.near());
    echo = PinnedThread.start("echo", Cpus.far(), inC ? this::echoInC : this::echo);
    Affinity.pin(Cpus.near());
    joined.enter();
  }

  private Void echoInC() {
    joined.enter();
    c.pong();
    joined.leave();
    return null;
  }

  private Void echo() {
    joined.enter();
    RawFrames far = new RawFrames(joined.far());
    long memory = Memory.allocate(RawFrames.LONGEST);
    while (!Thread.currentThread().isInterrupted()) {
      int length = far.receive(memory);
      if (length > 0) {
        far.send(memory, length);
      } else {
        Thread.onSpinWait();
      }
    }
    joined.leave();
    return null;
  }

  @Override
  RoundTrip prepare(RttTask task) throws CannotRunException {
    task.requireFrame();
    octets = task.octets();
    return this::roundTrip;
  }

  private void roundTrip(long number) throws IOException {
    MessageNumbers.fill(source, octets, number);
    near.send(source, octets);
    waiting.reset();
    while (near.receive(sink) == 0) {
      waiting.idle();
    }
    if (!MessageNumbers.has(sink, octets, number)) {
      throw new IOException("another message came back");
    }
  }

  @Override
  Histogram measure(RttTask task, RoundTrip trip) throws Exception {
    if (c == null) {
      return super.measure(task, trip);
    }
    task.requireClosedLoop();
    Histogram nanoseconds = RoundTrips.histogram();
    c.ping(task, nanoseconds);
    return nanoseconds;
  }

  @Override
  public void close() throws IOException {
    if (c != null) {
      c.stop();
    }
    if (echo != null) {
      echo.close();
    }
  }
}
