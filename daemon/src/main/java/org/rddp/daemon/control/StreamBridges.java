package org.rddp.daemon.control;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.StreamEnds;
import org.rddp.ipc.ring.StreamMemory;

/**
 * Bridges: sockets through which the octets of streams pass, for programs whose threads cannot use
 * the rings. For the control thread.
 */
final class StreamBridges {
  private final ControlServer server;
  private final Consumer<Runnable> thread;
  private final LongFunction<OctetStream> streams;

  /** The programs' ends, until every holder has got one, by the stream's number. */
  private final Map<Long, PairedSocket> ends = new HashMap<>();

  /**
   * Creates an object without bridges.
   *
   * @param thread runs what takes time
   * @param streams by the number by which the kernel knows the program's socket; null for none
   */
  StreamBridges(
      ControlServer server, Consumer<Runnable> thread, LongFunction<OctetStream> streams) {
    this.server = server;
    this.thread = thread;
    this.streams = streams;
  }

  /**
   * Makes a stream's octets pass through a socket.
   *
   * @param stream the program's socket of the stream; its thread closes it
   */
  void bridge(ProgramSession program, int request, Descriptor stream) {
    program
        .link()
        .execute(() -> {
          long cookie = cookie(stream);
          stream.close();
          server.execute(() -> bridge(program, request, cookie));
        });
  }

  private static long cookie(Descriptor socket) {
    try {
      return PairedSocket.cookie(socket);
    } catch (SystemCallException e) {
      return 0;
    }
  }

  private void bridge(ProgramSession program, int request, long cookie) {
    OctetStream stream = streams.apply(cookie);
    if (stream == null || ends.containsKey(stream.parts().number())) {
      answerWithBridge(program, request, stream);
      return;
    }
    stream
        .engine()
        .execute(() ->
            stream.whenChecked(
                () -> thread.accept(() -> bridge(program, request, cookie, stream))));
  }

  private void bridge(ProgramSession program, int request, long cookie, OctetStream stream) {
    try {
      byte[] addresses = new byte[StreamEnds.OCTETS];
      stream.streamEnds().write(MemorySegment.ofArray(addresses));
      PairedSocket[] pair = PairedSocket.ofOctets("rddp-stream", addresses);
      pair[0].forbidDescriptors();
      StreamMemory memory =
          stream.isMapped()
              ? null
              : StreamMemory.create(StreamService.FIRST_RING, StreamService.RING);
      stream
          .engine()
          .execute(() -> {
            OctetStream.Bridging outcome = stream.bridge(cookie, pair[0], memory);
            server.execute(() -> {
              if (outcome == OctetStream.Bridging.DONE) {
                ends.put(stream.parts().number(), pair[1]);
              } else {
                thread.accept(() -> {
                  pair[0].close();
                  pair[1].close();
                });
              }
              if (outcome == OctetStream.Bridging.TO_BE_TRIED_AGAIN) {
                bridge(program, request, cookie);
              } else {
                answerWithBridge(program, request, stream);
              }
            });
          });
    } catch (SystemCallException e) {
      server.execute(() ->
          program.answer(request, new RequestRefusedException(Reason.RESOURCES, e.getMessage())));
    }
  }

  /** Passes the stream's bridge to a program, or says why there is none. */
  private void answerWithBridge(ProgramSession program, int request, OctetStream stream) {
    PairedSocket end = stream == null ? null : ends.get(stream.parts().number());
    if (end != null) {
      try {
        program.send(new DaemonMessage.StreamBridged(request, end.descriptor().duplicate()));
      } catch (SystemCallException e) {
        program.answer(request, new RequestRefusedException(Reason.RESOURCES, e.getMessage()));
      }
    } else if (stream != null && stream.isConnecting()) {
      program.answer(
          request,
          new RequestRefusedException(
              Reason.STATE, Errno.EINPROGRESS, "the stream is being established"));
    } else {
      program.answer(
          request,
          new RequestRefusedException(
              Reason.NOT_FOUND,
              "the descriptor is no octet stream of this daemon, or that has ended"));
    }
  }

  /** The programs' end of a stream's bridge; null for none. */
  PairedSocket end(long number) {
    return ends.get(number);
  }

  /** Inherits the programs' end of the bridge of a stream that another daemon has had. */
  void inherit(long number, PairedSocket end) {
    ends.put(number, end);
  }

  /** Every holder has got the programs' end, or the stream has ended. */
  void closeEnd(long number) {
    PairedSocket end = ends.remove(number);
    if (end != null) {
      thread.accept(end::close);
    }
  }

  /** Closes the programs' ends, which another daemon has got. */
  void close() {
    ends.values().forEach(PairedSocket::close);
  }
}
