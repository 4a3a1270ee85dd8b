package org.rddp.daemon.control;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.ipc.control.OfferSocket;
import org.rddp.ipc.control.StreamOffer;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;

/**
 * A program's listener for octet streams: offers established ones through its socket, a bounded
 * number at a time. Control thread only, except where a method says more.
 */
final class ProgramListener {
  /** Most streams in the socket: their descriptors count for all programs of the user. */
  private static final int OFFERED = 64;

  /** Pause in ns before a stream is offered again for which the socket had no room. */
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

  private final ControlServer server;
  private final ProgramSockets program;
  private final StreamListener listener;
  private final OfferSocket socket;
  private final Queue<OctetStream> waiting = new ArrayDeque<>();
  private int offered;
  private boolean ended;

  ProgramListener(
      ControlServer server, ProgramSockets program, StreamListener listener, PairedSocket socket) {
    this.server = server;
    this.program = program;
    this.listener = listener;
    this.socket = new OfferSocket(socket.descriptor());
  }

  ProgramSockets program() {
    return program;
  }

  StreamListener listener() {
    return listener;
  }

  Descriptor descriptor() {
    return socket.descriptor();
  }

  /** Offers a stream, at its turn. */
  void add(OctetStream stream) {
    waiting.add(stream);
    offerNext();
  }

  /** A stream that was offered has been accepted. */
  void onTaken() {
    offered = Math.max(0, offered - 1);
    offerNext();
  }

  private void offerNext() {
    while (!ended && offered < OFFERED && !waiting.isEmpty()) {
      OctetStream stream = waiting.remove();
      offered++;
      program.link().execute(() -> offer(stream));
    }
  }

  /** On the thread of the program's link, which the program can block. */
  private void offer(OctetStream stream) {
    StreamParts parts = stream.parts();
    try {
      boolean sent =
          parts.programSocket().descriptor().isOpen()
              && socket.descriptor().isOpen()
              && socket.offer(
                  new StreamOffer(
                      parts.section().number(),
                      parts.index(),
                      parts.memory().sending().largest(),
                      parts.memory().receiving().largest(),
                      stream.streamEnds(),
                      parts.programSocket().descriptor(),
                      parts.memory().descriptor()));
      if (sent) {
        parts.programSocket().close();
      } else {
        server.execute(() -> offerLater(stream));
      }
    } catch (IOException e) {
      parts.programSocket().close();
      server.execute(() -> program.endListener(listener.number()));
    }
  }

  private void offerLater(OctetStream stream) {
    server.after(
        PAUSE,
        () -> {
          if (ended) {
            // The link may have ended, too.
            server.streams().close(stream.parts().programSocket());
          } else {
            program.link().execute(() -> offer(stream));
          }
        });
  }

  /** Ends it: those who hold the other end read end-of-file. */
  void end() {
    ended = true;
    listener.close();
    List<OctetStream> left = List.copyOf(waiting);
    waiting.clear();
    program
        .link()
        .execute(() -> {
          socket.close();
          left.forEach(each -> each.parts().programSocket().close());
        });
  }
}
