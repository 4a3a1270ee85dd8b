package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.tcp.storage.EarlyRangesPool;
import org.rddp.tcp.storage.EarlySegments;

/** In the steady state no segment, sent or received, costs an object. */
class TcpAllocationTest {
  private static final Ipv4Address SERVER = Ipv4Address.parse("10.0.0.2");

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final NativePacketPool firstPool = new NativePacketPool(1024, 2048);
  private final NativePacketPool secondPool = new NativePacketPool(1024, 2048);
  private final LoopedDevice[] link = LoopedDevice.pair(firstPool, secondPool, 1500, 256);
  private final TcpStack client = stack(link[0], 1);
  private final TcpStack server = stack(link[1], 2);
  private long now;

  private static TcpStack stack(LoopedDevice device, int host) {
    Ipv6Address address = Ipv6Address.parse("2001:db8::" + host);
    return new TcpStack(
        device,
        new InterfaceAddress(Ipv4Address.parse("10.0.0." + host), 24)
            .withIpv6(new Ipv6Network(address, 64, "a secret")),
        TcpSettings.DEFAULTS.withReceiveBuffer(200_000),
        new SplittableRandom(1),
        0);
  }

  /** Sends for ever as fast as it may; takes and forgets what comes, or sends it back. */
  private static final class Tireless implements StreamHandler {
    private final boolean sends;
    private final boolean answers;
    private TcpStream stream;
    private long received;
    private long edges;

    Tireless(boolean sends, boolean answers) {
      this.sends = sends;
      this.answers = answers;
    }

    private void pump() {
      while (sends && stream.sendable()) {
        send(stream.emss());
      }
    }

    private void send(int length) {
      long packet = stream.allocate();
      if (packet != 0) {
        stream.pool().window(packet, stream.pool().address(packet), length);
        stream.send(packet);
      }
    }

    @Override
    public void onOpen(TcpStream opened) {
      stream = opened;
      pump();
    }

    @Override
    public void onSegment(long position, long address, int length, long packet) {
      received += length;
      stream.consumed(length);
      if (answers && stream.sendable()) {
        send(64);
      }
    }

    @Override
    public void onLeftEdge(long position) {
      edges++;
    }

    @Override
    public void onSendable() {
      pump();
    }

    @Override
    public void onEmss(int emss) {}

    @Override
    public void onAlarm(long at) {
      stream.alarm(at + 1_000_000);
    }

    @Override
    public void onPeerClosed() {}

    @Override
    public void onClosed(CloseReason reason) {}
  }

  private void turns(int count) {
    for (int i = 0; i < count; i++) {
      client.receive(now);
      client.advance(now);
      client.transmit(now);
      server.receive(now);
      server.advance(now);
      server.transmit(now);
      now += 10_000;
    }
  }

  /** The least of several measurements: the machine underneath may allocate once, not each time. */
  private long leastAllocated(Runnable work) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 10 && least > 0; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      work.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "2001:db8::2"})
  void shouldAllocateNothingPerSegment(String to) {
    Tireless source = new Tireless(true, false);
    Tireless sink = new Tireless(false, true);
    server.listen(7, (stream, address, port) -> sink);
    client.connect(HostAddress.parse(to), 7, source);
    turns(1000);
    source.stream.alarm(now + 1);
    turns(20_000);
    long before = sink.received;
    long segments = client.counters().segmentsOut;
    Runnable steady = () -> turns(1000);
    assertThat(leastAllocated(steady)).isZero();
    assertThat(sink.received - before).isGreaterThan(1_000_000);
    assertThat(client.counters().segmentsOut - segments).isGreaterThan(1000);
    assertThat(source.received).isPositive();
  }

  @Test
  void shouldAllocateNothingWhenEarlyRangesComeAndGo() {
    EarlyRangesPool ranges = new EarlyRangesPool();
    EarlySegments segments = new EarlySegments(firstPool);
    long packet = firstPool.allocate();
    long[] position = new long[1];
    Runnable passing =
        () -> {
          EarlyRanges early = ranges.acquire();
          for (int i = 0; i < 1000; i++) {
            long at = position[0] += 2;
            early.add(at, at + 1, 1, 100);
            segments.hold(at, 0, 1, packet);
            if (early.count() == 30) {
              early.removeFirst();
              firstPool.release(segments.packet(0));
              segments.removeFirst();
            }
          }
          segments.clear();
          ranges.release(early);
        };
    for (int i = 0; i < 50; i++) {
      passing.run();
    }
    assertThat(leastAllocated(passing)).isZero();
  }

  @Test
  void shouldAllocateNothingWhenSegmentsAreLostAndRepeated() {
    Tireless source = new Tireless(true, false);
    Tireless sink = new Tireless(false, false);
    server.listen(7, (stream, address, port) -> sink);
    client.connect(SERVER, 7, source);
    turns(1000);
    long[] lost = new long[1];
    Runnable lossy =
        () -> {
          for (int i = 0; i < 100; i++) {
            turns(20);
            client.receive(now);
            client.transmit(now);
            if (link[1].receive(lost) == 1) {
              secondPool.release(lost[0]);
            }
          }
        };
    for (int i = 0; i < 50; i++) {
      lossy.run();
    }
    long before = client.counters().retransmitted;
    assertThat(leastAllocated(lossy)).isZero();
    assertThat(client.counters().retransmitted).isGreaterThan(before);
    assertThat(server.counters().outOfOrder).isPositive();
    assertThat(sink.edges).isPositive();
  }
}
