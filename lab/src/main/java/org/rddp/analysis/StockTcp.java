package org.rddp.analysis;

import org.rddp.device.PacketPool;
import org.rddp.mpa.MpaStartup;
import org.rddp.simulation.RelayedStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * Makes our TCP behave like one that does not know FPDUs: it holds octets back, and cuts full
 * segments from them regardless of FPDUs.
 */
final class StockTcp extends RelayedStream {
  private PacketPool pool;
  private boolean holding;

  /** The segment that is being filled, or 0. */
  private long filling;

  /** The packet in which room was reserved last. */
  private long reserved;

  StockTcp(MpaStartup startup) {
    super(startup);
  }

  /** Holds octets from now on until they fill a segment, as between two pushes of a program. */
  void hold() {
    holding = true;
  }

  void push() {
    holding = false;
    flush();
  }

  private void flush() {
    if (filling != 0) {
      long segment = filling;
      filling = 0;
      below().send(segment);
    }
  }

  @Override
  public void onOpen(TcpStream stream) {
    pool = stream.pool();
    super.onOpen(stream);
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

  @Override
  public long reserve(int octets, boolean packs, boolean leads) {
    reserved = allocate();
    return reserved == 0 ? 0 : pool.address(reserved);
  }

  @Override
  public void commit(int octets, boolean more) {
    pool.window(reserved, pool.address(reserved), octets);
    send(reserved);
  }

  /** MPA must not pack: no segment waits. */
  @Override
  public int openRoom() {
    return 0;
  }

  @Override
  public int trainSegment() {
    return 0;
  }

  /** Appends octets to the segment. Returns how many had room. */
  private int append(long from, int octets) {
    if (filling == 0) {
      filling = allocate();
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
  public long sendPosition() {
    return super.sendPosition() + (filling == 0 ? 0 : pool.length(filling));
  }

  @Override
  public void closeSend() {
    push();
    super.closeSend();
  }

  @Override
  public void onClosed(CloseReason reason) {
    if (filling != 0) {
      pool.release(filling);
      filling = 0;
    }
    super.onClosed(reason);
  }
}
