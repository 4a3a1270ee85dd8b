package org.rddp.simulation.sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.IncomingStream;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.StreamKeeper;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.daemon.engine.StreamSignals;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;
import org.rddp.simulation.HostPair;

/**
 * Makes, checks and frees what engines share with programs, as the daemon's other threads do: some
 * time after it was asked.
 */
final class SimulatedKeeper implements StreamKeeper {
  private static final int FIRST_RING = 4096;
  private static final int LARGEST_RING = 1 << 14;

  /** One in so many times there is no memory. */
  private static final int SELDOM = 8;

  /** A stream, as the daemon's owner of descriptors knows it. */
  static final class Holding {
    private final int engine;
    private StreamParts parts;
    private OctetStream stream;

    /** Another mapping of the memory, with which a stream goes on; null if it has none. */
    private StreamMemory spare;

    /** Whether a program has the socket, and closes it. */
    private boolean taken;

    private Holding(int engine, StreamParts parts, StreamMemory spare) {
      this.engine = engine;
      this.parts = parts;
      this.spare = spare;
    }

    int engine() {
      return engine;
    }

    StreamParts parts() {
      return parts;
    }

    /** The program takes its socket. */
    PairedSocket take() {
      taken = true;
      return parts.programSocket();
    }

    /** The port that the peer's program has. */
    int remotePort() {
      return stream.ends().remotePort();
    }
  }

  private final HostPair hosts;
  private final StreamHost host;
  private final SplittableRandom random;
  private final boolean refuses;
  private final long delay;
  private final Map<Long, Holding> holdings = new LinkedHashMap<>();
  private final Map<Integer, BitSet> indices = new HashMap<>();
  private final Map<Long, Consumer<PairedSocket>> asked = new LinkedHashMap<>();

  /** By the number of their listener, those that no program has accepted. */
  private final Map<Integer, Deque<Holding>> offered = new HashMap<>();

  private long lastNumber;
  private int tasks;

  /** Grows when power fails: tasks of before do nothing. */
  private int era;

  SimulatedKeeper(HostPair hosts, StreamHost host) {
    this.hosts = hosts;
    this.host = host;
    random = hosts.random().split();
    refuses = random.nextInt(3) == 0;
    delay = (long) hosts.settings().logUniform(1000, 2_000_000);
  }

  // ---- Tasks ----

  /** Whether nothing is to be done. */
  boolean isIdle() {
    return tasks == 0 && asked.isEmpty();
  }

  /** Runs a task on a thread of the daemon's. */
  private void later(Runnable task) {
    int now = era;
    tasks++;
    long at = hosts.network().now() + random.nextLong(delay);
    hosts
        .network()
        .events()
        .schedule(
            at,
            any -> {
              if (era == now) {
                tasks--;
                task.run();
              }
            },
            0);
  }

  /** Runs a command in an engine, or in the one that goes on with its work. */
  private void execute(int engine, Runnable command) {
    int now = era;
    tasks++;
    host.execute(
        engine,
        () -> {
          if (era == now) {
            tasks--;
            command.run();
          }
        });
  }

  // ---- Memory and sockets ----

  private Holding make(int engine) {
    try {
      StreamMemory memory = StreamMemory.create(FIRST_RING, LARGEST_RING);
      BitSet taken = indices.computeIfAbsent(engine, any -> new BitSet());
      int index = taken.nextClearBit(0);
      taken.set(index);
      memory.header().write(engine, index, memory.sending(), memory.receiving());
      PairedSocket[] ends = PairedSocket.ofMessages("simulated");
      ends[1].limitSending();
      long number = ++lastNumber;
      StreamParts parts =
          new StreamParts(
              host.section(engine), index, number, memory, ends[0], ends[1], number, true);
      Holding made =
          new Holding(
              engine, parts, StreamMemory.adopt(memory.descriptor().duplicate(), LARGEST_RING));
      holdings.put(number, made);
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void discard(Holding holding) {
    StreamParts parts = holding.parts;
    if (holdings.remove(parts.number()) == null) {
      return;
    }
    parts.socket().close();
    if (!holding.taken) {
      parts.programSocket().close();
    }
    parts.memory().close();
    if (holding.spare != null) {
      holding.spare.close();
    }
    Consumer<PairedSocket> waiting = asked.remove(parts.number());
    if (waiting != null) {
      waiting.accept(null);
    }
    indices.get(holding.engine).clear(parts.index());
  }

  /** The largest ring of a stream. */
  static int largestRing() {
    return LARGEST_RING;
  }

  /**
   * The parts of a stream that goes on in another engine, with its memory at another address.
   *
   * @param section in which it goes on
   */
  StreamParts handOn(StreamParts former, StreamSection section) {
    Holding holding = holdings.get(former.number());
    StreamMemory memory = former.memory();
    if (holding.spare != null) {
      memory = holding.spare;
      holding.spare = former.memory();
    }
    holding.parts = former.with(section, memory);
    return holding.parts;
  }

  /** All engines have gone on: asks the streams again for what programs have asked for. */
  void goOn() {
    List.copyOf(asked.keySet()).forEach(this::bridge);
  }

  /** Power fails. */
  void clear() {
    era++;
    tasks = 0;
    asked.clear();
    offered.clear();
    List.copyOf(holdings.values())
        .forEach(each -> {
          each.taken = false;
          discard(each);
        });
  }

  // ---- For programs ----

  /**
   * Opens a stream.
   *
   * @param opened takes it; null if it was refused
   */
  void connect(int remotePort, int localPort, long timeout, Consumer<Holding> opened) {
    later(() -> {
      Holding made = make(host.draw());
      execute(
          made.engine,
          () -> {
            // Its engine may have gone on in another one meanwhile.
            made.parts = made.parts.with(host.section(made.engine), made.parts.memory());
            try {
              host.engine(made.engine)
                  .streams()
                  .connect(
                      made.parts, hosts.server().connectAddress(), remotePort, localPort, timeout);
              later(() -> opened.accept(made));
            } catch (RequestRefusedException e) {
              hosts.trace("connect is refused: " + e.getMessage());
              discard(made);
              later(() -> opened.accept(null));
            }
          });
    });
  }

  /** Accepts the stream that waits longest at a listener; null if none does. */
  Holding accept(int listener) {
    Deque<Holding> waiting = offered.get(listener);
    return waiting == null ? null : waiting.poll();
  }

  /** Whether streams wait to be accepted. */
  boolean hasOffers() {
    return offered.values().stream().anyMatch(each -> !each.isEmpty());
  }

  /** Whether no stream is left. */
  boolean isEmpty() {
    return holdings.isEmpty();
  }

  /**
   * Asks for a stream's bridge.
   *
   * @param answered takes the program's end; null if there is none
   */
  void bridge(Holding holding, Consumer<PairedSocket> answered) {
    asked.put(holding.parts.number(), answered);
    bridge(holding.parts.number());
  }

  private void bridge(long number) {
    Holding holding = holdings.get(number);
    OctetStream stream = holding.stream;
    execute(
        holding.engine,
        () -> stream.whenChecked(() -> later(() -> bridge(number, holding, stream))));
  }

  private void bridge(long number, Holding holding, OctetStream stream) {
    if (holding.stream != stream || !asked.containsKey(number)) {
      return;
    }
    try {
      PairedSocket[] ends = PairedSocket.ofOctets("simulated", new byte[0]);
      StreamMemory memory =
          stream.isMapped() ? null : StreamMemory.create(FIRST_RING, LARGEST_RING);
      execute(
          holding.engine,
          () -> {
            if (holding.stream != stream || !asked.containsKey(number)) {
              ends[0].close();
              ends[1].close();
              close(memory);
              return;
            }
            bridge(number, holding, ends, memory);
          });
    } catch (SystemCallException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void bridge(long number, Holding holding, PairedSocket[] ends, StreamMemory memory) {
    OctetStream.Bridging outcome = holding.stream.bridge(holding.parts.cookie(), ends[0], memory);
    holding.parts = holding.stream.parts();
    if (outcome == OctetStream.Bridging.TO_BE_TRIED_AGAIN) {
      ends[0].close();
      ends[1].close();
      bridge(number);
      return;
    }
    Consumer<PairedSocket> answered = asked.remove(number);
    if (outcome == OctetStream.Bridging.DONE) {
      if (memory != null) {
        holding.spare.close();
        holding.spare = null;
      }
      later(() -> answered.accept(ends[1]));
    } else {
      ends[0].close();
      ends[1].close();
      later(() -> answered.accept(null));
    }
  }

  // ---- For engines ----

  @Override
  public void prepare(IncomingStream incoming, StreamListener listener) {
    int engine = host.number(incoming.engine());
    later(() -> {
      if (listener.isClosed() || (refuses && random.nextInt(SELDOM) == 0)) {
        execute(engine, () -> incoming.refused(Reason.RESOURCES));
        return;
      }
      Holding made = make(engine);
      execute(
          engine,
          () -> {
            if (incoming.prepared(made.parts) == null) {
              discard(made);
            }
          });
    });
  }

  @Override
  public void check(OctetStream stream) {
    Holding holding = holdings.get(stream.parts().number());
    later(() -> {
      if (holding.stream != stream) {
        return; // Another one goes on, and has asked, too.
      }
      try {
        boolean safe = stream.parts().memory().isMappedSafely();
        execute(holding.engine, () -> stream.onChecked(safe));
      } catch (SystemCallException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  @Override
  public void allocate(OctetStream stream, StreamRing ring) {
    int engine = host.number(stream.engine());
    later(() -> execute(engine, () -> stream.onAllocated(ring)));
  }

  @Override
  public void offer(OctetStream stream) {
    Holding holding = holdings.get(stream.parts().number());
    int listener = stream.listener().number();
    if (stream.listener().isClosed()) {
      holding.parts.programSocket().close();
      holding.taken = true;
    } else {
      offered.computeIfAbsent(listener, any -> new ArrayDeque<>()).add(holding);
    }
  }

  @Override
  public void onTaken(StreamListener listener) {}

  @Override
  public void offerAgain(OctetStream stream) {
    Holding old = holdings.get(stream.parts().number());
    later(() -> {
      if (old.stream != stream) {
        return;
      }
      StreamListener next = host.ports().find(StreamHost.PORT, stream.ends().localAddress());
      if (next == null || !next.enter()) {
        execute(old.engine, stream::dismiss);
        return;
      }
      Holding made = make(old.engine);
      execute(
          old.engine,
          () -> {
            if (old.stream == stream && stream.replace(made.parts, next)) {
              discard(old);
            } else {
              next.leave();
              discard(made);
            }
          });
    });
  }

  @Override
  public void begin(OctetStream stream) {
    holdings.get(stream.parts().number()).stream = stream;
  }

  @Override
  public void onMoved(OctetStream stream) {}

  @Override
  public void drain(PairedSocket socket) {
    StreamSignals.drain(socket);
  }

  @Override
  public void close(PairedSocket socket) {
    if (socket != null) {
      socket.close();
    }
  }

  @Override
  public void close(StreamMemory memory) {
    if (memory != null) {
      memory.close();
    }
  }

  @Override
  public void release(OctetStream stream) {
    Holding holding = holdings.get(stream.parts().number());
    if (holding != null) {
      discard(holding);
    }
  }
}
