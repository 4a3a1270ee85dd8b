package org.rddp.soak;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.demo.TransferPattern;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.rig.AdvertisedBuffer;

/** A program of the soak that writes into others' memory, and misbehaves, as its seed decides. */
public final class SoakSource {
  private static final int MOST_OCTETS = 2 << 20;
  private static final int MOST_PIECE = 100_000;
  private static final int UNUSED_PORT = 9;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration END = Duration.ofSeconds(10);
  private static final long SILENCE = Duration.ofMillis(20).toNanos();

  private final Path socket;
  private final List<InetSocketAddress> sinks;
  private final Random random;
  private final Consumer<String> out;
  private long number;

  /**
   * A source that has not connected.
   *
   * @param sinks where sinks listen
   * @param seed of everything that it does; different for each source
   * @param out takes a line for the ledger
   */
  public SoakSource(Path socket, List<InetSocketAddress> sinks, long seed, Consumer<String> out) {
    this.socket = socket;
    this.sinks = List.copyOf(sinks);
    this.random = new Random(seed);
    this.number = seed << 20;
    this.out = out;
  }

  /** Acts until it is told to stop, in one session after the other. */
  public void act(BooleanSupplier stop) throws SystemCallException {
    out.accept(SoakProgram.BEGUN);
    while (!stop.getAsBoolean()) {
      try (Rddp session = SoakProgram.open(socket, "one")) {
        for (int i = random.nextInt(20); i >= 0 && !stop.getAsBoolean(); i--) {
          act(session);
        }
      } catch (RddpException | IllegalStateException e) {
        SoakProgram.rethrowIfLost(e);
        out.accept(Ledger.note("source", e));
      }
    }
  }

  private void act(Rddp session) throws SystemCallException {
    switch (random.nextInt(20)) {
      case 0 -> writeBeyondTheBuffer(session);
      case 1 -> connectToNobody(session);
      case 2 -> leaveEverythingOpen();
      case 3 -> connectAndSayNothing();
      case 4 -> useAnStagOfNobody(session);
      case 5 -> abortInTheMiddle(session);
      default -> transfer(session);
    }
  }

  private SoakExchange connect(Rddp session, long transfer, int octets) {
    InetSocketAddress sink = sinks.get(random.nextInt(sinks.size()));
    PrivateData request =
        PrivateData.of(
            ByteBuffer.allocate(SoakSink.REQUEST).putLong(transfer).putLong(octets).array());
    return new SoakExchange(session, session.connect(sink, request, CONNECT), 1);
  }

  private static AdvertisedBuffer buffer(SoakExchange exchange) {
    return AdvertisedBuffer.read(exchange.connection().privateData());
  }

  /** Writes a pattern in pieces, has it verified, and reads a part of it back. */
  private void transfer(Rddp session) {
    int octets = 1 + random.nextInt(1 + random.nextInt(MOST_OCTETS));
    long transfer = number++;
    out.accept(Ledger.began(transfer, octets));
    TransferPattern pattern = new TransferPattern(transfer);
    try (MemoryRegion source = session.allocate(octets, Access.LOCAL_WRITE);
        SoakExchange exchange = connect(session, transfer, octets)) {
      pattern.fill(source.segment(), 0);
      write(exchange, source, octets);
      exchange.send(SoakSink.WRITTEN);
      if (exchange.await(0) != SoakSink.VERIFIED) {
        throw new IllegalStateException("the sink answers something else");
      }
      out.accept(Ledger.confirmed(transfer, octets));
      readBack(exchange, source, transfer, octets);
    }
  }

  private void write(SoakExchange exchange, MemoryRegion source, long octets) {
    AdvertisedBuffer sink = buffer(exchange);
    Connection connection = exchange.connection();
    long at = 0;
    while (at < octets) {
      long from = at;
      long length = Math.min(octets - at, 1 + random.nextInt(MOST_PIECE));
      exchange.until(
          () -> connection.postWrite(1, source, from, length, sink.stag(), sink.to() + from));
      at += length;
    }
  }

  private void readBack(SoakExchange exchange, MemoryRegion source, long transfer, int octets) {
    AdvertisedBuffer sink = buffer(exchange);
    long from = random.nextInt(octets) & -Long.BYTES;
    long length = octets - from;
    MemorySegment part = source.segment().asSlice(from, length);
    part.fill((byte) 0);
    long before = exchange.completed();
    exchange.until(() ->
        exchange.connection().postRead(2, source, from, length, sink.stag(), sink.to() + from));
    exchange.until(() -> exchange.completed() > before);
    if (new TransferPattern(transfer).mismatch(part, from) >= 0) {
      out.accept(Ledger.wrong(transfer, "what was read back is not what was written"));
    }
  }

  // ---- Misbehaviour ----

  /** The peer must end the connection with a Terminate, and nothing else may happen. */
  private void writeBeyondTheBuffer(Rddp session) {
    try (MemoryRegion source = session.allocate(64, Access.LOCAL_WRITE);
        SoakExchange exchange = connect(session, number++, 64)) {
      AdvertisedBuffer sink = buffer(exchange);
      Connection connection = exchange.connection();
      exchange.until(() -> connection.postWrite(3, source, 0, 64, sink.stag(), sink.to() + 1));
      if (connection.awaitClosed(END) && connection.closeReason() == Reason.TERMINATED) {
        out.accept(Ledger.misbehaved("write beyond the buffer"));
      }
    }
  }

  private void connectToNobody(Rddp session) {
    InetSocketAddress nobody = new InetSocketAddress(sinks.getFirst().getAddress(), UNUSED_PORT);
    out.accept(Ledger.misbehaved("connect to nobody"));
    session.connect(nobody, PrivateData.NONE, CONNECT).close();
  }

  /** Ends a session with memory, an STag and a connection that it has not released. */
  private void leaveEverythingOpen() {
    Rddp session = SoakProgram.open(socket, "one");
    try (session) {
      MemoryRegion source = session.allocate(MOST_PIECE, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
      SoakExchange exchange = connect(session, number++, MOST_PIECE);
      write(exchange, source, MOST_PIECE);
      out.accept(Ledger.misbehaved("leave everything open"));
    }
  }

  /** Takes up one of the daemon's places for programs without a session. */
  private void connectAndSayNothing() throws SystemCallException {
    ControlSocket silent = ControlSocket.connect(socket);
    LockSupport.parkNanos(SILENCE);
    silent.close();
    out.accept(Ledger.misbehaved("connect and say nothing"));
  }

  /** The request must fail with a protection error. The session ends with the exception. */
  private void useAnStagOfNobody(Rddp session) {
    MemoryRegion source = session.allocate(64, Access.LOCAL_WRITE);
    try (SoakExchange exchange = connect(session, number++, 64)) {
      int stag = buffer(exchange).stag() ^ random.nextInt(1, 1 << 20);
      out.accept(Ledger.misbehaved("write with an STag of nobody"));
      exchange.until(() -> exchange.connection().postWrite(4, source, 0, 64, stag, 0));
      exchange.await(0);
    }
  }

  private void abortInTheMiddle(Rddp session) {
    try (MemoryRegion source = session.allocate(MOST_OCTETS, Access.LOCAL_WRITE);
        SoakExchange exchange = connect(session, number++, MOST_OCTETS)) {
      write(exchange, source, MOST_OCTETS);
      exchange.connection().abort();
      out.accept(Ledger.misbehaved("abort in the middle"));
    }
  }
}
