package org.rddp.fuzz;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.rddp.device.FrameDevice;
import org.rddp.device.FrameSink;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Memory;

/** A device for a script, which inserts received frames and is shown every sent frame. */
final class FuzzedDevice implements FrameDevice {
  static final long OUR_MAC = 0x02_00_00_00_00_01L;

  private final NativePacketPool pool;
  private final int mtu;
  private final FrameSink sink;
  private final ArrayDeque<byte[]> in = new ArrayDeque<>();
  private long[] kept = new long[16];
  private int keptCount;

  /** How many frames it still takes. */
  int accepts = Integer.MAX_VALUE;

  /** Whether it holds sent packets, as a slow card does. */
  boolean keeps;

  /** The octets behind every received frame. */
  int filler;

  FuzzedDevice(NativePacketPool pool, int mtu, FrameSink sink) {
    this.pool = pool;
    this.mtu = mtu;
    this.sink = sink;
  }

  void put(byte[] frame) {
    in.add(frame);
  }

  @Override
  public NativePacketPool pool() {
    return pool;
  }

  @Override
  public long macAddress() {
    return OUR_MAC;
  }

  @Override
  public int mtu() {
    return mtu;
  }

  @Override
  public boolean up() {
    return true;
  }

  @Override
  public int receive(long[] packets) {
    int count = 0;
    while (count < packets.length && !in.isEmpty()) {
      long packet = pool.allocate();
      if (packet == 0) {
        in.clear(); // a card drops frames without a buffer
        break;
      }
      byte[] frame = in.poll();
      long address = pool.address(packet);
      Memory.copy(frame, 0, address, frame.length);
      Memory.fill(address + frame.length, pool.end(packet) - address - frame.length, filler);
      pool.window(packet, address, frame.length);
      packets[count++] = packet;
    }
    return count;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    int taken = Math.min(count, accepts);
    accepts -= taken;
    for (int i = from; i < from + taken; i++) {
      long packet = packets[i];
      sink.onFrame(true, pool.address(packet), pool.length(packet));
      if (keeps) {
        if (keptCount == kept.length) {
          kept = Arrays.copyOf(kept, keptCount * 2);
        }
        kept[keptCount++] = packet;
      } else {
        pool.release(packet);
      }
    }
    return taken;
  }

  /** Releases the packets that it holds. */
  void letGo() {
    while (keptCount > 0) {
      pool.release(kept[--keptCount]);
    }
  }

  @Override
  public void close() {
    letGo();
    in.clear();
  }
}
