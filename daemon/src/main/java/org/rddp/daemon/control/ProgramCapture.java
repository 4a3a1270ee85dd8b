package org.rddp.daemon.control;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ConnectionEnds;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.device.CaptureSink;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.CaptureRing;
import org.rddp.ipc.ring.TraceEvent;

/**
 * Captures the frames of a program's interface, or traces one of its connections, into a shared
 * ring. Captures all engines of an interface; asks one after the other for a connection. Control
 * thread only.
 */
final class ProgramCapture {
  /** What writes into the ring. */
  private abstract static class Source {
    /** Verb for the log and refusals: "captures" or "traces". */
    final String verb;

    /** The programs with such a source: one for each interface. */
    final Map<String, ProgramSession> running;

    Source(String verb, Map<String, ProgramSession> running) {
      this.verb = verb;
      this.running = running;
    }

    /** Begins at one engine, on its thread; returns whether that was all. */
    abstract boolean begin(InterfaceEngine at, CaptureSink sink) throws RequestRefusedException;

    /** Ends at one engine, on its thread. */
    abstract void end(InterfaceEngine at);
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

  /** Whether there is a capture or a trace. */
  boolean isActive() {
    return ring != null;
  }

  /** Answers with a connection's addresses, by which to select its frames. */
  void find(ProgramMessage.FindConnection find) throws RequestRefusedException {
    server.permissions().checkCapture(program.socket().peer());
    inTurn(
        at -> {
          ConnectionEnds ends = at.engine().find(find.connection(), find.process());
          DaemonMessage found =
              new DaemonMessage.ConnectionFound(
                  find.request(),
                  ControlAddresses.of(ends.localAddress()),
                  ends.localPort(),
                  ControlAddresses.of(ends.remoteAddress()),
                  ends.remotePort());
          program.send(found);
          return true;
        },
        refusal -> {
          if (refusal != null) {
            program.answer(find.request(), refusal);
          }
        });
  }

  /** A step at one engine, on its thread; returns whether to skip the other engines. */
  private interface Step {
    boolean run(InterfaceEngine at) throws RequestRefusedException;
  }

  /**
   * Takes a step at one engine of the interface after the other, until one is enough, or refuses
   * for a reason other than an unknown connection.
   *
   * @param done gets the last refusal, or null, on the control thread
   */
  private void inTurn(Step step, Consumer<RequestRefusedException> done) {
    inTurn(server.interfaces().engines(program.daemonInterface().name()), 0, step, done);
  }

  private void inTurn(
      List<InterfaceEngine> engines, int index, Step step, Consumer<RequestRefusedException> done) {
    InterfaceEngine at = engines.get(index);
    at.engine()
        .execute(() -> {
          boolean enough = index + 1 == engines.size();
          RequestRefusedException refusal = null;
          try {
            enough |= step.run(at);
          } catch (RequestRefusedException e) {
            refusal = e;
            enough |= e.reason() != Reason.NOT_FOUND;
          }
          if (enough) {
            RequestRefusedException last = refusal;
            server.execute(() -> done.accept(last));
          } else {
            inTurn(engines, index + 1, step, done);
          }
        });
  }

  void start(ProgramMessage.StartCapture start) throws RequestRefusedException {
    Source frames =
        new Source("captures", server.captures()) {
          @Override
          boolean begin(InterfaceEngine at, CaptureSink sink) {
            at.capture().capture(sink, start.plain());
            return false;
          }

          @Override
          void end(InterfaceEngine at) {
            at.capture().capture(null, false);
          }
        };
    begin(start.request(), start.ringOctets(), start.snapLength(), frames);
  }

  void start(ProgramMessage.StartTrace start) throws RequestRefusedException {
    Source events =
        new Source("traces a connection of", server.traces()) {
          @Override
          boolean begin(InterfaceEngine at, CaptureSink sink) throws RequestRefusedException {
            at.engine().trace(start.connection(), start.process(), sink);
            return true;
          }

          @Override
          void end(InterfaceEngine at) {
            at.engine().endTrace();
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
    String captured = program.daemonInterface().name();
    server.permissions().checkCapture(program.socket().peer());
    ProgramSession other = from.running.get(captured);
    if (other != null) {
      throw new RequestRefusedException(
          Reason.STATE, other.name() + " already " + from.verb + " " + captured);
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
    mapping = new ProgramMapping(ring.memory(), ring::close, program.mappingThreads());
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
      CaptureSink sink = sink(started);
      inTurn(at -> from.begin(at, sink), refused -> answer(request, started, refused));
    });
  }

  /** The ring has one writer at a time. */
  private CaptureSink sink(CaptureRing started) {
    if (server.interfaces().engines(program.daemonInterface().name()).size() == 1) {
      return started::offer;
    }
    return (time, address, length) -> {
      synchronized (started) {
        started.offer(time, address, length);
      }
    };
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
    from.running.remove(program.daemonInterface().name());
    int size = ringOctets;
    inTurn(
        at -> {
          from.end(at);
          return false;
        },
        none -> stopped.release(() -> octets.give(size)));
  }
}
