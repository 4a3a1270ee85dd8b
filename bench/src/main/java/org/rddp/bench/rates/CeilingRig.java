package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.method.CannotRunException;
import org.rddp.bench.method.Rig;
import org.rddp.bench.method.Sample;
import org.rddp.crc.Crc32c;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.device.DpdkPorts;
import org.rddp.device.FrameDevice;
import org.rddp.dpdk.DpdkException;
import org.rddp.dpdk.Hugepages;
import org.rddp.rig.Affinity;
import org.rddp.wire.Memory;

/**
 * What goodput cannot exceed where one thread drives both ends: for the payload of each frame a
 * copy with its CRC, the frame over the device, a CRC and a copy. Each is timed by itself, and the
 * times are added up. Argument: {@code mtu}. A task says {@code millis}; a sample has {@code gbps},
 * and {@code copy_ns}, {@code crc_ns} and {@code device_ns} for the payload of one frame.
 */
public final class CeilingRig implements Rig {
  private static final int BURST = 32;

  /** Of a full frame: Ethernet 14, IP 20, TCP 20, length, DDP's header and CRC of the FPDU 20. */
  private static final int ETHERNET = 14;

  private static final int HEADERS = 60;
  private static final long REGION = 4L << 20;
  private static final int TURN = 512;

  private static final String CONFIGURATION =
      """
      [dpdk]
      hugepages = ASKED
      memory = "128MiB"
      arguments = ["--log-level=error"]
      [[interface]]
      name = "near"
      device = "ring:bench"
      address = "10.77.0.1/24"
      mtu = MTU
      packets = 2048
      [[interface]]
      name = "far"
      device = "ring:bench"
      address = "10.77.0.2/24"
      mtu = MTU
      packets = 2048
      """;

  private final long[] packets = new long[64];
  private final long region = Memory.allocate(REGION);
  private final Crc32c crc = Crc32c.create();
  private DpdkPorts ports;
  private FrameDevice near;
  private FrameDevice far;
  private int mtu;
  private int payload;

  /** Where in the region it goes on. */
  private long at;

  /** Keeps HotSpot from leaving the work out. */
  private int sum;

  /** For its process. */
  public CeilingRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    mtu = arguments.get("mtu").getAsInt();
    payload = mtu - HEADERS & -4;
    Affinity.pin(Affinity.allowed()[0]);
    try {
      boolean hugepages = Hugepages.available() >= 128L << 20;
      String text =
          CONFIGURATION
              .replace("ASKED", Boolean.toString(hugepages))
              .replace("MTU", Integer.toString(mtu));
      ports = DpdkPorts.open(ConfigurationFile.parse("bench", text));
    } catch (DpdkException | ConfigurationException e) {
      throw new CannotRunException(e.getMessage());
    }
    ports.enter();
    near = ports.devices().get(0);
    far = ports.devices().get(1);
    Crc32c.trial(System::nanoTime, Thread::onSpinWait).run();
  }

  @Override
  public Sample round(JsonObject task) {
    long nanos = task.get("millis").getAsLong() * 1_000_000 / 3;
    long copied = Long.MAX_VALUE;
    long checked = Long.MAX_VALUE;
    long carried = Long.MAX_VALUE;
    long began = System.nanoTime();
    // By the quickest turns: a ceiling is what nothing disturbs.
    while (System.nanoTime() - began < 3 * nanos) {
      copied = Math.min(copied, timed(this::copy));
      checked = Math.min(checked, timed(this::check));
      carried = Math.min(carried, timed(this::carry));
    }
    double copy = (double) copied / TURN;
    double check = (double) checked / TURN;
    double device = (double) carried / TURN;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("gbps", 8.0 * payload / (copy + check + device));
    figures.put("copy_ns", copy);
    figures.put("crc_ns", check);
    figures.put("device_ns", device);
    return Sample.of(figures);
  }

  private static long timed(Runnable turn) {
    long began = System.nanoTime();
    turn.run();
    return System.nanoTime() - began;
  }

  /** What all came to. */
  int outcome() {
    return sum;
  }

  private long next() {
    at = at + payload > REGION - payload ? 0 : at + payload;
    return region + at;
  }

  /** Out of the region into a packet with the CRC on the way, and into the region. */
  private void copy() {
    long packet = near.pool().allocate();
    long frame = near.pool().address(packet) + HEADERS;
    for (int i = 0; i < TURN; i++) {
      sum += crc.copy(0, next(), frame, payload);
      Memory.copy(frame, next(), payload);
    }
    near.pool().release(packet);
  }

  /** The CRC of what has come. */
  private void check() {
    long packet = near.pool().allocate();
    long frame = near.pool().address(packet) + HEADERS;
    for (int i = 0; i < TURN; i++) {
      sum += crc.update(0, frame, payload);
    }
    near.pool().release(packet);
  }

  private void carry() {
    for (int done = 0; done < TURN; done += BURST) {
      for (int i = 0; i < BURST; i++) {
        long packet = near.pool().allocate();
        near.pool().window(packet, near.pool().address(packet), ETHERNET + mtu);
        packets[i] = packet;
      }
      near.transmit(packets, 0, BURST);
      int count = far.receive(packets);
      for (int i = 0; i < count; i++) {
        far.pool().release(packets[i]);
      }
      sum += count;
    }
  }

  @Override
  public void close() {
    if (ports != null) {
      ports.leave();
      ports.close();
    }
  }
}
