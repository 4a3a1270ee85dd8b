package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.layout.Cpus;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.device.FrameDevice;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.WaitStrategy;
import org.rddp.wire.Memory;

/**
 * The lower bound of rddp's two-core layout: the same threads, rings and device without the
 * protocol. A program's request crosses its ring to the engine's thread, which copies the message
 * into a frame, sends it over the link, receives it at the other end, and copies it to where the
 * other program polls; and back. Argument: {@code rings_alone} to leave out the link, which shows
 * what the frames add.
 */
public final class FloorRig extends TimedRig {
  private static final int SLOTS = 256;
  private static final int SIGNAL_EVERY = 32;

  private final WaitStrategy waiting = WaitStrategy.spinning();
  private boolean frames;
  private RingPorts joined;
  private Side near;
  private Side far;
  private PinnedThread<Void> engine;
  private int octets;

  /** A program, its rings and its end of the link. */
  private static final class Side {
    final long source = Memory.allocate(RawFrames.LONGEST);
    final long sink = Memory.allocate(RawFrames.LONGEST);
    private final DaemonRings daemon;
    private final ProgramRings program;
    private final WorkRequest request = new WorkRequest();
    private final PolledCompletion completion = new PolledCompletion();
    private final RawFrames link;
    private Side peer;
    private int posted;
    private int taken;

    /** With an end of the link, or null for none. */
    Side(FrameDevice device) throws IOException {
      MemorySegment memory = Arena.global().allocate(DaemonRings.octets(SLOTS, SLOTS), 64);
      daemon = new DaemonRings(memory, SLOTS, SLOTS);
      program = new ProgramRings(memory, () -> {});
      link = device == null ? null : new RawFrames(device);
    }

    /** Posts a write; called by the program's thread. */
    void post(long number, int octets) {
      MessageNumbers.fill(source, octets, number);
      int flags = ++posted % SIGNAL_EVERY == 0 ? SendFlags.SIGNALLED : 0;
      SubmissionEntry entry = program.claim(1);
      while (entry == null) {
        poll();
        entry = program.claim(1);
      }
      entry.begin(Opcode.WRITE, flags, number, 1).memory(2, 0, octets).remote(3, 0).submit();
      if (flags != 0) {
        poll();
      }
    }

    private void poll() {
      while (program.poll(completion)) {
        Thread.onSpinWait();
      }
      program.publish();
    }

    /** Receives and sends; called by the engine's thread. */
    void turn() {
      if (link != null) {
        link.receive(sink);
      }
      while (daemon.take(request) == DaemonRings.TAKEN) {
        taken++;
        int octets = (int) request.length();
        if (link != null) {
          link.send(source, octets);
        } else {
          Memory.copy(source, peer.sink, octets - Long.BYTES);
          MessageNumbers.release(
              peer.sink + octets - Long.BYTES,
              MessageNumbers.acquire(source + octets - Long.BYTES));
        }
        if (request.isSignalled()) {
          daemon
              .claim(taken)
              .begin(request.id(), 1, Opcode.WRITE, CompletionStatus.SUCCESS, octets)
              .submit();
          taken = 0;
        }
      }
      daemon.flush();
    }
  }

  @Override
  public void open(JsonObject arguments) throws Exception {
    frames = !arguments.has("rings_alone");
    joined = frames ? new RingPorts() : null;
    near = new Side(frames ? joined.near() : null);
    far = new Side(frames ? joined.far() : null);
    near.peer = far;
    far.peer = near;
    engine = PinnedThread.start("engine", Cpus.far(), this::serve);
    Affinity.pin(Cpus.near());
  }

  private Void serve() {
    if (frames) {
      joined.enter();
    }
    while (!Thread.currentThread().isInterrupted()) {
      near.turn();
      far.turn();
    }
    if (frames) {
      joined.leave();
    }
    return null;
  }

  @Override
  RoundTrip prepare(RttTask task) throws CannotRunException {
    task.requireFrame();
    octets = task.octets();
    return this::roundTrip;
  }

  private void roundTrip(long number) throws IOException {
    near.post(number, octets);
    await(far, number);
    far.post(number, octets);
    await(near, number);
  }

  private void await(Side side, long number) throws IOException {
    waiting.reset();
    while (!MessageNumbers.has(side.sink, octets, number)) {
      waiting.idle();
    }
  }

  @Override
  public void close() {
    if (engine != null) {
      engine.close();
    }
  }
}
