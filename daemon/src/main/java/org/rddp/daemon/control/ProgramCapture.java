package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
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

  /** The ring while a capture runs, otherwise null. */
  private CaptureRing ring;

  private int ringOctets;

  ProgramCapture(ControlServer server, ProgramSession program, Quota octets) {
    this.server = server;
    this.program = program;
    this.octets = octets;
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
    CaptureRing started = ring;
    ringOctets = start.ringOctets();
    captured.engine().execute(() -> captured.capture().capture(started));
    program.send(new DaemonMessage.CaptureStarted(start.request(), started.descriptor()));
    server.log().info(program.name() + " captures " + captured.name());
  }

  /** Stops the capture, if one runs. The ring is unmapped after the engine has stopped using it. */
  void stop() {
    if (ring == null) {
      return;
    }
    CaptureRing stopped = ring;
    ring = null;
    DaemonInterface captured = program.daemonInterface();
    server.captures().remove(captured);
    octets.give(ringOctets);
    captured
        .engine()
        .execute(() -> {
          captured.capture().capture(null);
          server.execute(stopped::close);
        });
  }
}
