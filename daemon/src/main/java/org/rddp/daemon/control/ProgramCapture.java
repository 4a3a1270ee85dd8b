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
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.CaptureRing;
import org.rddp.ipc.ring.TraceEvent;
import org.rddp.snapshot.Snapshot;

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

    /** What the program has asked for. */
    final ProgramMessage request;

    final int ringOctets;
    final int snapLength;

    Source(
        String verb,
        Map<String, ProgramSession> running,
        ProgramMessage request,
        int ringOctets,
        int snapLength) {
      this.verb = verb;
      this.running = running;
      this.request = request;
      this.ringOctets = ringOctets;
      this.snapLength = snapLength;
    }

    /** Begins at one engine, on its thread; returns whether that was all. */
    abstract boolean begin(InterfaceEngine at, CaptureSink sink) throws RequestRefusedException;

    /** Goes on at one engine in place of another daemon's, before its first turn. */
    abstract void goOn(InterfaceEngine at, CaptureSink sink);

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

  ProgramCapture(ControlServer server, ProgramSession program, Quota octets) {
    this.server = server;
    this.program = program;
    this.octets = octets;
  }

  /** Whether another daemon can go on with what there is. Never waits. */
  boolean canGoOver() {
    return mapping == null || mapping.canGoOver();
  }

  /** Transfers the capture or trace; when read, {@link #goOn} follows. */
  void transfer(Snapshot snapshot, HandedDescriptors descriptors) {
    snapshot.begin(ProgramCapture.class);
    if (snapshot.flag("ring", ring != null)) {
      transferSource(snapshot);
      Descriptor memory = descriptors.transfer(snapshot.reads() ? null : ring.descriptor());
      CaptureRing.Positions positions =
          snapshot.record(
              "positions", CaptureRing.Positions.class, snapshot.reads() ? null : ring.positions());
      if (positions == null) {
        throw snapshot.wrong("a capture ring without positions");
      }
      if (snapshot.reads()) {
        inherit(snapshot, HandedDescriptors.map(memory), positions);
      }
      mapping.transfer(snapshot);
    }
    snapshot.end();
  }

  private void transferSource(Snapshot snapshot) {
    boolean reads = snapshot.reads();
    ProgramMessage asked = reads ? null : source.request;
    ProgramMessage.StartCapture capture =
        snapshot.record(
            "capture",
            ProgramMessage.StartCapture.class,
            asked instanceof ProgramMessage.StartCapture frames ? frames : null);
    ProgramMessage.StartTrace trace =
        snapshot.record(
            "trace",
            ProgramMessage.StartTrace.class,
            asked instanceof ProgramMessage.StartTrace events ? events : null);
    if (reads && capture == null && trace == null) {
      throw snapshot.wrong("a capture ring without capture or trace");
    }
    if (reads) {
      source = capture == null ? events(trace) : frames(capture);
    }
  }

  private void inherit(Snapshot snapshot, SharedMemory memory, CaptureRing.Positions positions) {
    try {
      ring = CaptureRing.inherit(memory, source.ringOctets, source.snapLength, positions);
    } catch (IllegalArgumentException e) {
      throw snapshot.wrong(e.getMessage());
    }
    mapping = new ProgramMapping(memory, ring::close, program.mappingThreads());
    octets.add(source.ringOctets);
    source.running.put(program.daemonInterface().name(), program);
  }

  /** Goes on with what another daemon has begun, before the first turn of the engines. */
  void goOn() {
    if (mapping != null && mapping.isReady()) {
      CaptureSink sink = sink(ring);
      server
          .interfaces()
          .engines(program.daemonInterface().name())
          .forEach(each -> source.goOn(each, sink));
    }
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
    begin(frames(start));
  }

  private Source frames(ProgramMessage.StartCapture start) {
    return new Source(
        "captures", server.captures(), start, start.ringOctets(), start.snapLength()) {
      @Override
      boolean begin(InterfaceEngine at, CaptureSink sink) {
        goOn(at, sink);
        return false;
      }

      @Override
      void goOn(InterfaceEngine at, CaptureSink sink) {
        at.capture().capture(sink, start.plain());
      }

      @Override
      void end(InterfaceEngine at) {
        at.capture().capture(null, false);
      }
    };
  }

  void start(ProgramMessage.StartTrace start) throws RequestRefusedException {
    begin(events(start));
  }

  private Source events(ProgramMessage.StartTrace start) {
    return new Source(
        "traces a connection of", server.traces(), start, start.ringOctets(), TraceEvent.LONGEST) {
      @Override
      boolean begin(InterfaceEngine at, CaptureSink sink) throws RequestRefusedException {
        at.engine().trace(start.connection(), start.process(), sink);
        return true;
      }

      @Override
      void goOn(InterfaceEngine at, CaptureSink sink) {
        at.engine().traceOn(sink);
      }

      @Override
      void end(InterfaceEngine at) {
        at.engine().endTrace();
      }
    };
  }

  private void begin(Source from) throws RequestRefusedException {
    if (!CaptureRing.isValid(from.ringOctets, from.snapLength)) {
      throw new RequestRefusedException(
          Reason.INVALID,
          ("a capture needs a ring of a power of two from 4096 to 2^30 octets and a snap length"
                  + " from 1 to 65535, not %d and %d")
              .formatted(from.ringOctets, from.snapLength));
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
    octets.take(from.ringOctets);
    try {
      ring = CaptureRing.create(from.ringOctets, from.snapLength);
    } catch (SystemCallException e) {
      octets.give(from.ringOctets);
      throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
    }
    from.running.put(captured, program);
    source = from;
    mapping = new ProgramMapping(ring.memory(), ring::close, program.mappingThreads());
    program.send(new DaemonMessage.CaptureStarted(from.request.request(), ring.descriptor()));
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
    inTurn(
        at -> {
          from.end(at);
          return false;
        },
        none -> stopped.release(() -> octets.give(from.ringOctets)));
  }
}
