package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.RoundTrips;
import org.rddp.wire.Memory;

/**
 * Raw frames over DPDK's net_ring, which is made to copy, between two threads that have an end of
 * the link each: by the classes that the engine uses, or by a loop in C over the same ports.
 */
public final class FramesRig implements Rig, RoundTripMethod {
  private final RoundTripTimer clocked = new RoundTripTimer();
  private final WaitStrategy patience = new WaitStrategy(false);
  private final long source = Memory.allocate(RawFrames.LONGEST);
  private final long sink = Memory.allocate(RawFrames.LONGEST);
  private RingPorts joined;
  private CPingPong c;
  private RawFrames near;
  private PinnedThread<Void> echo;
  private int octets;

  /** For the process of the rig. */
  public FramesRig() {}

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
  public void prepare(RttTask task) throws CannotRunException {
    if (task.verb() != RttTask.Verb.WRITE) {
      throw new CannotRunException("no such thing");
    }
    if (task.octets() > RawFrames.LONGEST) {
      throw new CannotRunException("longer than a frame");
    }
    octets = task.octets();
  }

  @Override
  public void roundTrip(long number) throws IOException {
    MessageNumbers.fill(source, octets, number);
    near.send(source, octets);
    patience.reset();
    while (near.receive(sink) == 0) {
      patience.idle();
    }
    if (!MessageNumbers.has(sink, octets, number)) {
      throw new IOException("what has come is not what was sent");
    }
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    RttTask task = RttTask.fromJson(json);
    if (c == null) {
      return clocked.run(task, this);
    }
    prepare(task);
    if (task.gap() != 0) {
      throw new CannotRunException("closed-loop only");
    }
    Histogram nanoseconds = RoundTrips.histogram();
    c.ping(task, nanoseconds);
    return Sample.of(nanoseconds);
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
