package org.rddp.simulation;

import java.util.ArrayDeque;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.device.WrappedDevice;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Memory;

/**
 * A real device behind a {@link ReSegmenter}, which changes the boundaries of the segments that are
 * received. The order of frames stays the same; what is not a valid segment passes unchanged.
 */
public final class ReSegmentedDevice extends WrappedDevice {
  private static final int BURST = 64;

  private final Network network;
  private final ReSegmenter box;
  private final ArrayDeque<Long> ready = new ArrayDeque<>();
  private final long[] burst = new long[BURST];

  /**
   * Wraps a device, which is closed with this one.
   *
   * @param often share of the segments that are changed, 0 to 1
   */
  public ReSegmentedDevice(FrameDevice device, long seed, double often) {
    super(device);
    network = new Network(seed);
    Router router = new Router(network, device.mtu(), ready::add, network.frames()::release);
    box = new ReSegmenter(network, router);
    box.setRate(often);
  }

  /** None: the frame may have been changed. */
  @Override
  public int checksum(long packet) {
    return Offloads.UNKNOWN;
  }

  /** {@inheritDoc} A segment held back is received at the latest when no others are. */
  @Override
  public int receive(long[] packets) {
    PacketPool pool = pool();
    if (ready.isEmpty()) {
      int count = device().receive(burst);
      for (int i = 0; i < count; i++) {
        take(pool.address(burst[i]), pool.length(burst[i]));
        pool.release(burst[i]);
      }
      if (count == 0) {
        network.run(() -> false, Long.MAX_VALUE - 1);
      }
    }
    int out = 0;
    while (out < packets.length && !ready.isEmpty()) {
      long packet = pool.allocate();
      if (packet == 0) {
        break;
      }
      long frame = ready.remove();
      int length = network.frames().length(frame);
      Memory.copy(network.frames().address(frame), pool.address(packet), length);
      pool.window(packet, pool.address(packet), length);
      network.frames().release(frame);
      packets[out++] = packet;
    }
    return out;
  }

  private void take(long address, int length) {
    long frame = network.frames().allocate(length);
    Memory.copy(address, network.frames().address(frame), length);
    if (length > Ethernet.HEADER + mtu()) {
      // Longer than a router passes, such as a frame that the kernel has merged.
      network.run(() -> false, Long.MAX_VALUE - 1);
      ready.add(frame);
    } else {
      box.take(frame);
    }
  }

  /** Segments split or joined so far. */
  public long changed() {
    NetworkCounters counters = network.counters();
    return counters.count(NetworkEvent.SPLIT) + counters.count(NetworkEvent.COALESCED);
  }
}
