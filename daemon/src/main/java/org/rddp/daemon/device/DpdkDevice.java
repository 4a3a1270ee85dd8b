package org.rddp.daemon.device;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.dpdk.EthernetPort;
import org.rddp.dpdk.MbufLayout;
import org.rddp.ipc.CaptureRing;
import org.rddp.wire.Memory;

/**
 * A started port of DPDK as a frame device: one queue each way, one native call for a burst.
 *
 * <p>Frames that come as a chain of buffers are copied into one when they fit, and otherwise
 * dropped and counted. While somebody captures, every frame is also copied into the capture's ring.
 */
public final class DpdkDevice implements FrameDevice, CapturePoint {
  /** Frames in a burst at most. */
  public static final int BURST = 64;

  private static final int PTR = Long.BYTES;

  private final EthernetPort port;
  private final MbufPool pool;
  private final RingCopier copier;
  private final long macAddress;
  private final int mtu;
  private final Runnable closer;
  private final long received = Memory.allocate((long) BURST * PTR);
  private final long sent = Memory.allocate((long) BURST * PTR);
  private CaptureRing capture;
  private long captureEpoch;
  private long droppedChains;
  private volatile boolean up = true;

  /**
   * A device over a started port.
   *
   * @param pool packets for this engine; the port receives into the same mempool
   * @param copier copies what is sent, or null: for ports that hand the very buffer to their peer
   * @param macAddress in the low 48 bits
   * @param mtu largest IP packet in octets
   * @param closer stops and closes the port, when the device is closed
   */
  public DpdkDevice(
      EthernetPort port,
      MbufPool pool,
      RingCopier copier,
      long macAddress,
      int mtu,
      Runnable closer) {
    this.port = port;
    this.pool = pool;
    this.copier = copier;
    this.macAddress = macAddress;
    this.mtu = mtu;
    this.closer = closer;
  }

  @Override
  public PacketPool pool() {
    return pool;
  }

  @Override
  public long macAddress() {
    return macAddress;
  }

  @Override
  public int mtu() {
    return mtu;
  }

  /** As of the last {@link #refreshLink()}: asking the driver is not for every turn. */
  @Override
  public boolean up() {
    return up;
  }

  /** Asks the driver whether the link is up. Not on the engine's thread. */
  public void refreshLink() {
    up = port.link().up();
  }

  /** The port, for its counters. */
  public EthernetPort port() {
    return port;
  }

  @Override
  public void capture(CaptureRing ring) {
    capture = ring;
    captureEpoch = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
  }

  /** Received frames that were dropped because they came in pieces too long for one packet. */
  public long droppedChains() {
    return droppedChains;
  }

  @Override
  public int receive(long[] packets) {
    int count = port.receive(0, received, Math.min(packets.length, BURST));
    int kept = 0;
    for (int i = 0; i < count; i++) {
      long packet = Memory.getLongNative(received + (long) i * PTR);
      if (Memory.getShortNative(packet + MbufLayout.NB_SEGS) != 1) {
        packet = pool.linearise(packet);
        if (packet == 0) {
          droppedChains++;
          continue;
        }
      }
      packets[kept++] = packet;
    }
    if (capture != null) {
      record(packets, 0, kept);
    }
    return kept;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    int done = 0;
    while (done < count) {
      int burst = Math.min(count - done, BURST);
      int taken =
          capture == null
              ? burst(packets, from + done, burst)
              : recordedBurst(packets, from + done, burst);
      done += taken;
      if (taken < burst) {
        break;
      }
    }
    return done;
  }

  private int burst(long[] packets, int from, int count) {
    if (copier != null) {
      return copier.transmit(port, pool, packets, from, count);
    }
    for (int i = 0; i < count; i++) {
      Memory.putLongNative(sent + (long) i * PTR, packets[from + i]);
    }
    return port.transmit(0, sent, count);
  }

  /** Holds the packets meanwhile: the port may be done with them before they are recorded. */
  private int recordedBurst(long[] packets, int from, int count) {
    for (int i = 0; i < count; i++) {
      pool.retain(packets[from + i]);
    }
    int taken = burst(packets, from, count);
    record(packets, from, taken);
    for (int i = 0; i < count; i++) {
      pool.release(packets[from + i]);
    }
    return taken;
  }

  private void record(long[] packets, int from, int count) {
    long time = System.nanoTime() + captureEpoch;
    for (int i = from; i < from + count; i++) {
      capture.offer(time, pool.address(packets[i]), pool.length(packets[i]));
    }
  }

  /** Stops the port and gives back every packet that is kept for later. */
  @Override
  public void close() {
    closer.run();
    pool.clear();
  }
}
