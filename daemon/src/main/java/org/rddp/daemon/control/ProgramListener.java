package org.rddp.daemon.control;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ipc.control.OfferSocket;
import org.rddp.ipc.control.StreamOffer;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.Snapshot;

/**
 * A program's listener for octet streams: offers established ones through its socket, a bounded
 * number at a time, on the thread of the program's link, which the program can block. Control
 * thread only, except where a method says more.
 */
final class ProgramListener {
  /** Most streams in the socket: their descriptors count for all programs of the user. */
  static final int OFFERED = 64;

  /**
   * Half of the octets of the kernel's memory for an offer: Linux takes 768 for one, and may take
   * somewhat more.
   */
  private static final int HALF_OFFER = 512;

  /** Pause in ns before a stream is offered again for which the socket had no room. */
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

  private final ControlServer server;
  private final ProgramSockets program;
  private final StreamListener listener;
  private final OfferSocket socket;

  /** Streams that are in the socket, or are being sent. */
  private final AtomicInteger offered = new AtomicInteger();

  /** How many there are in {@link #waiting}. */
  private final AtomicInteger left = new AtomicInteger();

  /** The cookies of streams that wait, of another daemon. */
  private final List<Long> inherited = new ArrayList<>();

  private volatile boolean ended;

  // ---- Of the link's thread; of the control thread while that pauses ----

  private final Queue<OctetStream> waiting = new ArrayDeque<>();

  /** Those that are in the socket, or are being sent; and perhaps others that are not. */
  private final Deque<OctetStream> sending = new ArrayDeque<>();

  ProgramListener(
      ControlServer server, ProgramSockets program, StreamListener listener, PairedSocket socket) {
    this.server = server;
    this.program = program;
    this.listener = listener;
    this.socket = new OfferSocket(socket.descriptor());
  }

  /**
   * Makes the two ends of a listener's socket, the daemon's first. It has room for {@link #OFFERED}
   * streams and not for many more, should a program say that it has those which it has not got.
   */
  static PairedSocket[] sockets() throws SystemCallException {
    PairedSocket[] ends = PairedSocket.ofMessages("rddp-listener");
    ends[0].limitSending(OFFERED * HALF_OFFER);
    ends[0].forbidDescriptors();
    return ends;
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

  /** Offers a stream, at its turn. Any thread, until {@link #end}. */
  void add(OctetStream stream) {
    program
        .link()
        .execute(() -> {
          if (ended) {
            // Its end tells the engine that nobody holds it.
            stream.parts().programSocket().close();
          } else {
            waiting.add(stream);
            left.incrementAndGet();
            offerNext();
          }
        });
  }

  /** A stream that was offered has been accepted. Any thread. */
  void onTaken() {
    offered.updateAndGet(before -> Math.max(0, before - 1));
    if (left.get() > 0) {
      program.link().execute(this::offerNext);
    }
  }

  private void offerNext() {
    while (!sending.isEmpty() && !isUnsent(sending.peek())) {
      sending.remove();
    }
    while (!ended && offered.get() < OFFERED && !waiting.isEmpty()) {
      OctetStream stream = waiting.remove();
      left.decrementAndGet();
      offered.incrementAndGet();
      sending.add(stream);
      offer(stream);
    }
  }

  private static boolean isUnsent(OctetStream stream) {
    return stream.parts().programSocket().descriptor().isOpen();
  }

  private void offer(OctetStream stream) {
    StreamParts parts = stream.parts();
    try {
      boolean sent =
          isUnsent(stream)
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
      server.execute(() -> program.listeners().end(listener.number()));
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

  // ---- Another daemon goes on with it ----

  /**
   * Transfers a listener, while the threads of links pause.
   *
   * @param program whose listener it is
   * @param written null when it is read
   */
  static ProgramListener transfer(
      Snapshot snapshot,
      HandedDescriptors descriptors,
      ControlServer server,
      ProgramSockets program,
      ProgramListener written) {
    snapshot.begin(ProgramListener.class);
    boolean reads = written == null;
    StreamSection[] sections = program.sections().toArray(StreamSection[]::new);
    StreamListener listener =
        StreamListener.transfer(snapshot, reads ? null : written.listener, sections);
    Descriptor socket = descriptors.transfer(reads ? null : written.socket.descriptor());
    ProgramListener each =
        reads ? new ProgramListener(server, program, listener, new PairedSocket(socket)) : written;
    each.transferStreams(snapshot);
    snapshot.end();
    return each;
  }

  /** Transfers how many have been sent, and which have not. */
  private void transferStreams(Snapshot snapshot) {
    List<OctetStream> unsent =
        new ArrayList<>(sending.stream().filter(ProgramListener::isUnsent).toList());
    int sent = snapshot.number("offered", offered.get() - unsent.size());
    unsent.addAll(waiting);
    for (int i = 0; snapshot.flag("waiting", i < unsent.size()); i++) {
      long cookie =
          snapshot.number("cookie", snapshot.reads() ? 0 : unsent.get(i).parts().cookie());
      if (snapshot.reads()) {
        inherited.add(cookie);
      }
    }
    if (snapshot.reads()) {
      offered.set(sent);
    }
  }

  /** Offers what another daemon has not sent; does nothing a second time. */
  void goOn() {
    inherited.stream().map(server.streams()::stream).filter(Objects::nonNull).forEach(this::add);
    inherited.clear();
    program.link().execute(this::offerNext);
  }

  /** Leaves it to another daemon: sends nothing any more. In a pause. */
  void leave() {
    ended = true;
    socket.close();
  }

  // ---- The end ----

  /** Ends it: those who hold the other end read end-of-file. */
  void end() {
    ended = true;
    listener.close();
    program
        .link()
        .execute(() -> {
          socket.close();
          waiting.forEach(each -> each.parts().programSocket().close());
          waiting.clear();
        });
  }
}
