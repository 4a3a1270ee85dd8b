package org.rddp.daemon.control;

import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ConnectionEnds;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.device.CaptureSink;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.CaptureRing;
import org.rddp.ipc.ring.TraceEvent;

/**
 * Captures the frames of a program's interface, or traces one of its connections, into a shared
 * ring. Control thread only.
 */
final class ProgramCapture {
  /** What writes into the ring. */
  private abstract static class Source {
    /** The log and refusals call it so: "captures" or "traces". */
    final String verb;

    /** The programs with such a source: one for each interface. */
    final Map<DaemonInterface, ProgramSession> running;

    Source(String verb, Map<DaemonInterface, ProgramSession> running) {
      this.verb = verb;
      this.running = running;
    }

    /** Engine thread only. */
    abstract void begin(CaptureSink sink) throws RequestRefusedException;

    /** Engine thread only. */
    abstract void end();
  }

  private final ControlServer server;
  private final ProgramSession program;
  private final Quota octets;

  /** The ring from the start of a capture or trace to its end, otherwise null. */
  private CaptureRing ring;

  private ProgramMapping mapping;
  private Source source;
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
                IpAddress.ipv4(ends.localAddress()),
                ends.localPort(),
                IpAddress.ipv4(ends.remoteAddress()),
                ends.remotePort());
        server.execute(() -> program.send(found));
      } catch (RequestRefusedException e) {
        server.execute(() -> program.answer(find.request(), e));
      }
    });
  }

  void start(ProgramMessage.StartCapture start) throws RequestRefusedException {
    DaemonInterface captured = program.daemonInterface();
    Source frames =
        new Source("captures", server.captures()) {
          @Override
          void begin(CaptureSink sink) {
            captured.capture().capture(sink);
          }

          @Override
          void end() {
            captured.capture().capture(null);
          }
        };
    begin(start.request(), start.ringOctets(), start.snapLength(), frames);
  }

  void start(ProgramMessage.StartTrace start) throws RequestRefusedException {
    Engine engine = program.daemonInterface().engine();
    Source events =
        new Source("traces a connection of", server.traces()) {
          @Override
          void begin(CaptureSink sink) throws RequestRefusedException {
            engine.trace(start.connection(), start.process(), sink);
          }

          @Override
          void end() {
            engine.endTrace();
          }
        };
    begin(start.request(), start.ringOctets(), TraceEvent.LONGEST, events);
  }

  private void begin(int request, int size, int snapLength, Source from)
      throws RequestRefusedException {
    if (!CaptureRing.isValid(size, snapLength)) {
      throw new RequestRefusedException(
          Reason.INVALID,
          ("a capture needs a ring of a power of two from 4096 to 2^30 octets and a snap length"
                  + " from 1 to 65535, not %d and %d")
              .formatted(size, snapLength));
    }
    DaemonInterface captured = program.daemonInterface();
    server.permissions().checkCapture(program.socket().peer());
    ProgramSession other = from.running.get(captured);
    if (other != null) {
      throw new RequestRefusedException(
          Reason.STATE, other.name() + " already " + from.verb + " " + captured.name());
    }
    if (ring != null) {
      throw new RequestRefusedException(
          Reason.STATE, "a session has one capture or trace at a time: stop the other one first");
    }
    octets.take(size);
    try {
      ring = CaptureRing.create(size, snapLength);
    } catch (SystemCallException e) {
      octets.give(size);
      throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
    }
    from.running.put(captured, program);
    source = from;
    ringOctets = size;
    mapping = new ProgramMapping(ring.memory(), ring::close, server.mappingThreads());
    program.send(new DaemonMessage.CaptureStarted(request, ring.descriptor()));
  }

  /** Lets the engine write into the ring, which the program has mapped. */
  void share(int request) throws RequestRefusedException {
    if (ring == null) {
      throw new RequestRefusedException(Reason.STATE, "no capture was started");
    }
    CaptureRing started = ring;
    Source from = source;
    mapping.share(refusal -> {
      if (ring != started || refusal != null) {
        answer(request, started, refusal);
        return;
      }
      program
          .daemonInterface()
          .engine()
          .execute(() -> {
            RequestRefusedException refused = null;
            try {
              from.begin(started::offer);
            } catch (RequestRefusedException e) {
              refused = e;
            }
            RequestRefusedException answer = refused;
            server.execute(() -> answer(request, started, answer));
          });
    });
  }

  private void answer(int request, CaptureRing started, RequestRefusedException refusal) {
    if (ring != started) {
      program.answer(request, new RequestRefusedException(Reason.STATE, "the capture was stopped"));
      return;
    }
    if (refusal == null) {
      String name = program.daemonInterface().name();
      server.events().session(program.logFields(), "the session " + source.verb + " " + name);
    } else {
      stop();
    }
    program.answer(request, refusal);
  }

  /**
   * Stops the capture or trace, if one runs. The ring is unmapped after the engine has stopped
   * using it.
   */
  void stop() {
    if (ring == null) {
      return;
    }
    ProgramMapping stopped = mapping;
    Source from = source;
    ring = null;
    mapping = null;
    source = null;
    DaemonInterface captured = program.daemonInterface();
    from.running.remove(captured);
    int size = ringOctets;
    captured
        .engine()
        .execute(() -> {
          from.end();
          server.execute(() -> stopped.release(() -> octets.give(size)));
        });
  }
}
