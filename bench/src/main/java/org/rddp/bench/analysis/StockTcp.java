package org.rddp.bench.analysis;

import org.rddp.device.PacketPool;
import org.rddp.mpa.MpaConnection;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * Makes of our TCP one that knows nothing of FPDUs: what is written while the program holds it back
 * is a stream of octets, of which full segments are cut wherever they end.
 */
final class StockTcp extends DelegatingStreamHandler implements TcpStream {
  private TcpStream tcp;
  private PacketPool pool;
  private boolean holding;

  /** The segment that is being filled, or 0. */
  private long filling;

  StockTcp(MpaConnection mpa) {
    super(mpa);
  }

  /** From now on octets wait until they fill a segment, as between two pushes of a program. */
  void hold() {
    holding = true;
  }

  /** Sends what waits. */
  void push() {
    holding = false;
    flush();
  }

  private void flush() {
    if (filling != 0) {
      long segment = filling;
      filling = 0;
      tcp.send(segment);
    }
  }

  @Override
  public void onOpen(TcpStream stream) {
    tcp = stream;
    pool = stream.pool();
    super.onOpen(this);
  }

  @Override
  public void send(long packet) {
    long from = pool.address(packet);
    int left = pool.length(packet);
    while (left > 0) {
      int part = append(from, left);
      from += part;
      left -= part;
    }
    pool.release(packet);
    if (!holding) {
      flush();
    }
  }

  /** Adds what fits into the segment. Returns how many octets that were. */
  private int append(long from, int octets) {
    if (filling == 0) {
      filling = tcp.allocate();
      if (filling == 0) {
        throw new IllegalStateException("no packet is left to simulate with");
      }
    }
    int length = pool.length(filling);
    int part = Math.min(octets, emss() - length);
    long address = pool.address(filling);
    Memory.copy(from, address + length, part);
    pool.window(filling, address, length + part);
    if (length + part == emss()) {
      flush();
    }
    return part;
  }

  @Override
  public PacketPool pool() {
    return tcp.pool();
  }

  @Override
  public int emss() {
    return tcp.emss();
  }

  @Override
  public long sendPosition() {
    return tcp.sendPosition() + (filling == 0 ? 0 : pool.length(filling));
  }

  @Override
  public long receivePosition() {
    return tcp.receivePosition();
  }

  @Override
  public boolean sendable() {
    return tcp.sendable();
  }

  @Override
  public long allocate() {
    return tcp.allocate();
  }

  @Override
  public void consumed(int octets) {
    tcp.consumed(octets);
  }

  @Override
  public void closeSend() {
    push();
    tcp.closeSend();
  }

  @Override
  public void abort() {
    tcp.abort();
  }

  @Override
  public void onClosed(CloseReason reason) {
    if (filling != 0) {
      pool.release(filling);
      filling = 0;
    }
    super.onClosed(reason);
  }

  @Override
  public void alarm(long deadline) {
    tcp.alarm(deadline);
  }

  @Override
  public long now() {
    return tcp.now();
  }

  @Override
  public long unacknowledged() {
    return tcp.unacknowledged();
  }
}
