package org.rddp.device;

/** A share of a pool that several stacks on one thread use: all packets, but less capacity. */
final class PoolShare implements PacketPool {
  private final PacketPool whole;
  private final int shares;

  PoolShare(PacketPool whole, int shares) {
    this.whole = whole;
    this.shares = shares;
  }

  @Override
  public long allocate() {
    return whole.allocate();
  }

  @Override
  public long allocateLong() {
    return whole.allocateLong();
  }

  @Override
  public int longCapacity() {
    return whole.longCapacity() / shares;
  }

  @Override
  public void retain(long packet) {
    whole.retain(packet);
  }

  @Override
  public void release(long packet) {
    whole.release(packet);
  }

  @Override
  public boolean shared(long packet) {
    return whole.shared(packet);
  }

  @Override
  public long address(long packet) {
    return whole.address(packet);
  }

  @Override
  public int length(long packet) {
    return whole.length(packet);
  }

  @Override
  public void window(long packet, long address, int length) {
    whole.window(packet, address, length);
  }

  @Override
  public long start(long packet) {
    return whole.start(packet);
  }

  @Override
  public long end(long packet) {
    return whole.end(packet);
  }

  @Override
  public int headroom() {
    return whole.headroom();
  }

  @Override
  public int room() {
    return whole.room();
  }

  @Override
  public int available() {
    return whole.available() / shares;
  }

  @Override
  public int capacity() {
    return whole.capacity() / shares;
  }
}
