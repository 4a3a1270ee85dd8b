package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ConnectionEnds;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.CaptureRing;

/** Captures the frames of a program's interface into a shared ring. Control thread only. */
final class ProgramCapture {
  private final ControlServer server;
  private final ProgramSession program;
  private final Quota octets;

  /** The ring from the start of a capture to its end, otherwise null. */
  private CaptureRing ring;

  private ProgramMapping mapping;
  private int ringOctets;

  ProgramCapture(ControlServer server, ProgramSession program, Quota octets) {
    this.server = server;
    this.program = program;
    this.octets = octets;
  }

  /** Answers between which ends a connection runs, so that its frames can be told from others. */
  void find(ProgramMessage.FindConnection find) throws RequestRefusedException {
    server.permissions().checkCapture(program.socket().peer());
    Engine engine = program.daemonInterface().engine();
    engine.execute(() -> {
      try {
        ConnectionEnds ends = engine.find(find.connection(), find.process());
        DaemonMessage found =
            new DaemonMessage.ConnectionFound(
                find.request(),
                ends.localAddress(),
                ends.localPort(),
                ends.remoteAddress(),
                ends.remotePort());
        server.execute(() -> program.send(found));
      } catch (RequestRefusedException e) {
        server.execute(() -> program.answer(find.request(), e));
      }
    });
  }

  void start(ProgramMessage.StartCapture start) throws RequestRefusedException {
    if (!CaptureRing.isValid(start.ringOctets(), start.snapLength())) {
      throw new RequestRefusedException(
          Reason.INVALID,
          ("a capture needs a ring of a power of two from 4096 to 2^30 octets and a snap length"
                  + " from 1 to 65535, not %d and %d")
              .formatted(start.ringOctets(), start.snapLength()));
    }
    DaemonInterface captured = program.daemonInterface();
    server.permissions().checkCapture(program.socket().peer());
    ProgramSession other = server.captures().get(captured);
    if (other != null) {
      throw new RequestRefusedException(
          Reason.STATE, other.name() + " already captures " + captured.name());
    }
    octets.take(start.ringOctets());
    try {
      ring = CaptureRing.create(start.ringOctets(), start.snapLength());
    } catch (SystemCallException e) {
      octets.give(start.ringOctets());
      throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
    }
    server.captures().put(captured, program);
    ringOctets = start.ringOctets();
    mapping = new ProgramMapping(ring.memory(), ring::close, server.mappingThreads());
    program.send(new DaemonMessage.CaptureStarted(start.request(), ring.descriptor()));
  }

  /** Lets the engine write into the ring, which the program has mapped. */
  void share(int request) throws RequestRefusedException {
    if (ring == null) {
      throw new RequestRefusedException(Reason.STATE, "no capture was started");
    }
    CaptureRing started = ring;
    DaemonInterface captured = program.daemonInterface();
    mapping.share(refusal -> {
      if (ring != started) {
        program.answer(
            request, new RequestRefusedException(Reason.STATE, "the capture was stopped"));
        return;
      }
      if (refusal == null) {
        captured.engine().execute(() -> captured.capture().capture(started::offer));
        server.events().session(program.logFields(), "the session captures " + captured.name());
      } else {
        stop();
      }
      program.answer(request, refusal);
    });
  }

  /** Stops the capture, if one runs. The ring is unmapped after the engine has stopped using it. */
  void stop() {
    if (ring == null) {
      return;
    }
    ProgramMapping stopped = mapping;
    ring = null;
    mapping = null;
    DaemonInterface captured = program.daemonInterface();
    server.captures().remove(captured);
    int size = ringOctets;
    captured
        .engine()
        .execute(() -> {
          captured.capture().capture(null);
          server.execute(() -> stopped.release(() -> octets.give(size)));
        });
  }
}
