package org.rddp.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.rddp.wire.Memory;

/** A device whose other end is a test: frames are put in and taken out as octets. */
public final class ScriptedDevice implements FrameDevice {
  /** MAC address of the device. */
  public static final long OUR_MAC = 0x02_00_00_00_00_01L;

  /** Whether the link is up. */
  public boolean up = true;

  private final NativePacketPool pool;
  private final int mtu;
  private final ArrayDeque<byte[]> in = new ArrayDeque<>();
  private final ArrayDeque<byte[]> out = new ArrayDeque<>();
  private final List<Long> kept = new ArrayList<>();

  /** How many frames the device still takes. */
  public int accepts = Integer.MAX_VALUE;

  /** Whether it holds on to the packets that it has taken, as a slow card does. */
  public boolean keeps;

  /** See {@link FrameDevice#longestFrame()}; to be set before the stack begins. */
  public int longest;

  public ScriptedDevice(NativePacketPool pool, int mtu) {
    this.pool = pool;
    this.mtu = mtu;
  }

  /** Lets the device receive a frame in its next burst. */
  public void put(byte[] frame) {
    in.add(frame);
  }

  /** The next frame that was sent, or null. */
  public byte[] take() {
    return out.poll();
  }

  /** Gives back what the device held on to. */
  public void letGo() {
    kept.forEach(pool::release);
    kept.clear();
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
  public int longestFrame() {
    return Math.max(longest, mtu);
  }

  @Override
  public boolean up() {
    return up;
  }

  @Override
  public int receive(long[] packets) {
    int count = 0;
    while (count < packets.length && !in.isEmpty()) {
      byte[] frame = in.poll();
      long packet = frame.length > pool.room() ? pool.allocateLong() : pool.allocate();
      if (packet == 0) {
        break;
      }
      Memory.copy(frame, 0, pool.address(packet), frame.length);
      pool.window(packet, pool.address(packet), frame.length);
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
      out.add(Memory.bytes(pool.address(packet), pool.length(packet)));
      if (keeps) {
        kept.add(packet);
      } else {
        pool.release(packet);
      }
    }
    return taken;
  }

  @Override
  public void close() {
    letGo();
  }
}
