package org.rddp.daemon;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.rddp.daemon.engine.Engine;
import org.rddp.device.PacketPool;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.StreamHandlerAdapter;
import org.rddp.wire.Memory;

/** A TCP connection from one of the daemon's engines that sends only what the test gives it. */
class RawTcpConnection extends StreamHandlerAdapter {
  private final Engine engine;
  private final byte[] octets;
  private final boolean closesThen;
  private final CompletableFuture<CloseReason> closed = new CompletableFuture<>();
  private final CompletableFuture<Void> open = new CompletableFuture<>();
  private TcpStream stream;

  /** Connects, sends octets, and then closes its sending direction if asked to. */
  RawTcpConnection(Engine engine, String address, int port, byte[] octets, boolean closesThen) {
    this.engine = engine;
    this.octets = octets;
    this.closesThen = closesThen;
    engine.execute(() -> engine.tcp().connect(Ipv4Address.parse(address), port, this));
  }

  /** Closes the sending direction. */
  void close() {
    engine.execute(() -> stream.closeSend());
  }

  /** Resets the connection, which is open. */
  void reset() {
    engine.execute(() -> stream.abort());
  }

  /** Waits until the octets have been handed to TCP. */
  void awaitOpen() throws Exception {
    open.get(10, TimeUnit.SECONDS);
  }

  /** The reason of the connection's end. */
  CloseReason awaitClosed() throws Exception {
    return closed.get(10, TimeUnit.SECONDS);
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    int from = 0;
    while (from < octets.length) {
      PacketPool pool = stream.pool();
      long packet = stream.allocate();
      int length = Math.min(stream.emss(), octets.length - from);
      long address = pool.address(packet);
      Memory.copy(octets, from, address, length);
      pool.window(packet, address, length);
      stream.send(packet);
      from += length;
    }
    if (closesThen) {
      stream.closeSend();
    }
    open.complete(null);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    stream.consumed(length);
  }

  @Override
  public void onPeerClosed() {
    stream.closeSend();
  }

  @Override
  public void onClosed(CloseReason reason) {
    closed.complete(reason);
  }
}
