package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.crc.Crc32c;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.device.FrameDevice;
import org.rddp.dpdk.DpdkException;
import org.rddp.rig.Affinity;
import org.rddp.rig.ConfigurationText;
import org.rddp.wire.Memory;

/**
 * The upper bound of goodput where one thread drives both ends. For the payload of each frame: a
 * copy with CRC from the source's memory into a packet, the frame over the device, a CRC of the
 * received octets, and a copy into the sink's memory. Each of the four steps is done and timed for
 * all frames of a turn before the next; the medians of the four are added. Memory and packets are
 * those of a transfer, so that they fit caches no better. Arguments: {@code mtu}, and {@link
 * #ELAPSED} to count all the time that has passed, instead of the medians. A task has {@code
 * millis}; a sample has {@code gbps}, and for the payload of one frame {@code send_ns}, {@code
 * device_ns}, {@code crc_ns} and {@code place_ns}.
 */
public final class CeilingRig implements Rig {
  /** An argument: {@code gbps} is what was done in the time that has passed. */
  static final String ELAPSED = "elapsed";

  /** The most frames that an engine sends in a turn. */
  private static final int TURN = 64;

  /** Header octets: Ethernet 14, IP 20, TCP 20; length, DDP header and CRC of the FPDU 20. */
  private static final int ETHERNET = 14;

  private static final int IP = 20;
  private static final int TCP = 20;

  private static final int HEADERS = 60;

  /** Memory of two writes of a MiB at either end. */
  private static final long REGION = 2L << 20;

  private static final long LONGEST = 1_000_000_000;

  /** Name of the daemon's thread that tries CRC vectors. */
  private static final String TRIAL = "rddp-vectors";

  private static final long PAUSE = 500_000;
  private static final int MEBIBYTES = 128;

  private final long[] sent = new long[TURN];
  private final long[] received = new long[TURN];
  private final long source = Memory.allocate(REGION);
  private final long sink = Memory.allocate(REGION);
  private final Crc32c crc = Crc32c.create();
  private final Histogram send = new Histogram(LONGEST, 3);
  private final Histogram carry = new Histogram(LONGEST, 3);
  private final Histogram check = new Histogram(LONGEST, 3);
  private final Histogram place = new Histogram(LONGEST, 3);
  private DpdkPorts ports;
  private FrameDevice near;
  private FrameDevice far;
  private int mtu;
  private int payload;
  private boolean elapsed;

  /** Frames of the round that have arrived. */
  private long arrived;

  /** Offsets in the regions. */
  private long from;

  private long to;

  /** Keeps HotSpot from removing the work. */
  private int sum;

  @Override
  public void open(JsonObject arguments) throws Exception {
    mtu = arguments.get("mtu").getAsInt();
    payload = mtu - HEADERS & -4;
    elapsed = Json.flag(arguments, ELAPSED, false);
    // It runs on another core; the warm-up waits for it.
    Runnable trial = Crc32c.trial(System::nanoTime, () -> LockSupport.parkNanos(PAUSE));
    Thread.ofPlatform().daemon().name(TRIAL).start(trial);
    Affinity.pin(Affinity.allowed()[0]);
    try {
      ConfigurationText text = new ConfigurationText().dpdk(MEBIBYTES);
      JoinedInterfaces.addRings(text, "mtu", mtu, "packets", 2048);
      ports = DpdkPorts.open(text.parse("bench"));
    } catch (DpdkException | ConfigurationException e) {
      throw new CannotRunException(e.getMessage());
    }
    ports.enter();
    near = ports.devices().get(0);
    far = ports.devices().get(1);
  }

  @Override
  public Sample round(JsonObject task) {
    long nanos = Json.nanos(task);
    for (Histogram each : List.of(send, carry, check, place)) {
      each.reset();
    }
    arrived = 0;
    long began = System.nanoTime();
    while (System.nanoTime() - began < nanos) {
      turn();
    }
    double eachFrame = (double) (System.nanoTime() - began) / arrived;
    double out = frameNanos(send);
    double device = frameNanos(carry);
    double checked = frameNanos(check);
    double placed = frameNanos(place);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("gbps", 8.0 * payload / (elapsed ? eachFrame : out + device + checked + placed));
    figures.put("send_ns", out);
    figures.put("device_ns", device);
    figures.put("crc_ns", checked);
    figures.put("place_ns", placed);
    return Sample.of(figures);
  }

  private static double frameNanos(Histogram turns) {
    return (double) turns.getValueAtPercentile(50) / TURN;
  }

  private void turn() {
    long began = System.nanoTime();
    fill();
    long filled = System.nanoTime();
    int count = exchange();
    arrived += count;
    long carried = System.nanoTime();
    check(count);
    long checked = System.nanoTime();
    place(count);
    long placed = System.nanoTime();
    if (count == TURN) {
      send.recordValue(Math.min(LONGEST, filled - began));
      carry.recordValue(Math.min(LONGEST, carried - filled));
      check.recordValue(Math.min(LONGEST, checked - carried));
      place.recordValue(Math.min(LONGEST, placed - checked));
    }
  }

  int outcome() {
    return sum;
  }

  /** Copies from the source into packets, with the CRC. */
  private void fill() {
    for (int i = 0; i < TURN; i++) {
      long packet = near.pool().allocate();
      long frame = near.pool().address(packet);
      near.pool().window(packet, frame, ETHERNET + mtu);
      near.requestOffload(packet, ETHERNET, IP, TCP, 0);
      sum += crc.copy(0, source + from, frame + HEADERS, payload);
      from = after(from);
      sent[i] = packet;
    }
  }

  /** Transmits and receives. Returns how many frames have arrived. */
  private int exchange() {
    int gone = near.transmit(sent, 0, TURN);
    for (int i = gone; i < TURN; i++) {
      near.pool().release(sent[i]);
    }
    return far.receive(received);
  }

  private void check(int count) {
    for (int i = 0; i < count; i++) {
      sum += crc.update(0, far.pool().address(received[i]) + HEADERS, payload);
    }
  }

  private void place(int count) {
    for (int i = 0; i < count; i++) {
      Memory.copy(far.pool().address(received[i]) + HEADERS, sink + to, payload);
      to = after(to);
      far.pool().release(received[i]);
    }
  }

  private long after(long place) {
    return place + 2L * payload > REGION ? 0 : place + payload;
  }

  @Override
  public void close() {
    if (ports != null) {
      ports.leave();
      ports.close();
    }
  }
}
