package org.rddp.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

class ReSegmentingDeviceTest {
  private static final int SOURCE = 0x0a000001;
  private static final int DESTINATION = 0x0a000002;
  private static final int MTU = 1500;
  private static final int TCP = Ethernet.HEADER + Ipv4.HEADER;
  private static final int HEADER = Tcp.HEADER + TcpOptions.TIMESTAMPS_LENGTH;

  private final NativePacketPool pool = new NativePacketPool(64, 2048);
  private final ScriptedDevice link = new ScriptedDevice(pool, MTU);
  private final long frame = Memory.allocate(2048);
  private final long[] packets = new long[16];

  /** A segment as it left the device, checked to be sound. */
  private record Segment(int sequence, int length, int flags, int timestamp, int ecn) {}

  private byte[] segment(int port, int sequence, int length, int flags, int timestamp) {
    long tcp = frame + TCP;
    long sum = Tcp.write(tcp, port, 7, sequence, 99, HEADER, flags, 1234);
    sum += TcpOptions.putTimestamps(tcp + Tcp.HEADER, timestamp, 55);
    for (int i = 0; i < length; i++) {
      Memory.putByte(tcp + HEADER + i, sequence + i);
    }
    sum += Checksum.sum(tcp + HEADER, length);
    int total = HEADER + length;
    sum += Checksum.pseudoHeader(SOURCE, DESTINATION, Ipv4.PROTOCOL_TCP, total);
    Tcp.putChecksum(tcp, sum);
    long ip = frame + Ethernet.HEADER;
    Ipv4.write(ip, Ipv4.HEADER + total, Ipv4.PROTOCOL_TCP, SOURCE, DESTINATION, Ipv4.ECT_0);
    Ethernet.write(frame, ScriptedDevice.OUR_MAC, 2, Ethernet.TYPE_IPV4);
    return Memory.bytes(frame, TCP + total);
  }

  private ReSegmentingDevice cutting(double split, double join) {
    return new ReSegmentingDevice(link, new SplittableRandom(3), split, join);
  }

  private List<Segment> through(ReSegmentingDevice device, byte[]... frames) {
    for (byte[] each : frames) {
      link.put(each);
    }
    List<Segment> out = new ArrayList<>();
    for (int turn = 0; turn < frames.length + 2; turn++) {
      int count = device.receive(packets);
      for (int i = 0; i < count; i++) {
        out.add(read(packets[i]));
        pool.release(packets[i]);
      }
    }
    assertThat(pool.available()).isEqualTo(pool.capacity());
    return out;
  }

  private Segment read(long packet) {
    long start = pool.address(packet);
    long ip = start + Ethernet.HEADER;
    long tcp = start + TCP;
    assertThat(Ipv4.wellFormed(ip, pool.length(packet) - Ethernet.HEADER)).isTrue();
    assertThat(Ipv4.intact(ip)).isTrue();
    int total = Ipv4.totalLength(ip) - Ipv4.HEADER;
    assertThat(Ipv4.totalLength(ip)).isLessThanOrEqualTo(MTU);
    assertThat(pool.length(packet)).isEqualTo(TCP + total);
    assertThat(Tcp.intact(tcp, total, SOURCE, DESTINATION)).isTrue();
    assertThat(Tcp.acknowledgment(tcp)).isEqualTo(99);
    assertThat(Tcp.window(tcp)).isEqualTo(1234);
    TcpOptions options = new TcpOptions();
    assertThat(options.parse(tcp, Tcp.headerLength(tcp))).isTrue();
    int sequence = Tcp.sequence(tcp);
    int length = total - HEADER;
    for (int i = 0; i < length; i++) {
      assertThat(Memory.getByte(tcp + HEADER + i)).isEqualTo(sequence + i & 0xff);
    }
    return new Segment(sequence, length, Tcp.flags(tcp), options.timestampValue(), Ipv4.ecn(ip));
  }

  @Test
  void shouldPassEverythingWhenItNeverCuts() {
    byte[] whole = segment(1, 500, 100, Tcp.ACK | Tcp.PSH, 8);
    assertThat(through(cutting(0, 0), whole))
        .containsExactly(new Segment(500, 100, Tcp.ACK | Tcp.PSH, 8, Ipv4.ECT_0));
  }

  @Test
  void shouldSplitASegmentInTwo() {
    ReSegmentingDevice device = cutting(1, 0);
    List<Segment> parts =
        through(device, segment(1, 500, 101, Tcp.ACK | Tcp.PSH | Tcp.FIN | 0x80, 8));
    assertThat(parts).hasSize(2);
    assertThat(parts.get(0).sequence()).isEqualTo(500);
    assertThat(parts.get(1).sequence()).isEqualTo(500 + parts.get(0).length());
    assertThat(parts.get(0).length() + parts.get(1).length()).isEqualTo(101);
    assertThat(parts.get(0).flags()).isEqualTo(Tcp.ACK | 0x80);
    assertThat(parts.get(1).flags()).isEqualTo(Tcp.ACK | Tcp.PSH | Tcp.FIN);
    assertThat(parts).allMatch(part -> part.timestamp() == 8 && part.ecn() == Ipv4.ECT_0);
    assertThat(device.splits()).isEqualTo(1);
  }

  @Test
  void shouldJoinWhatFollowsUnderTheLaterHeader() {
    ReSegmentingDevice device = cutting(0, 1);
    byte[] first = segment(1, -50, 100, Tcp.ACK, 8);
    byte[] second = segment(1, 50, 30, Tcp.ACK | Tcp.FIN, 9);
    assertThat(through(device, first, second))
        .containsExactly(new Segment(-50, 130, Tcp.ACK | Tcp.FIN, 9, Ipv4.ECT_0));
    assertThat(device.joins()).isEqualTo(1);
  }

  @Test
  void shouldNotJoinAcrossAGapAnotherPortOrTheMtu() {
    byte[] first = segment(1, 0, 1000, Tcp.ACK, 8);
    assertThat(through(cutting(0, 1), first, segment(1, 1001, 9, Tcp.ACK, 8))).hasSize(2);
    assertThat(through(cutting(0, 1), first, segment(2, 1000, 9, Tcp.ACK, 8))).hasSize(2);
    assertThat(through(cutting(0, 1), first, segment(1, 1000, 449, Tcp.ACK, 8))).hasSize(2);
    assertThat(through(cutting(0, 1), first, segment(1, 1000, 448, Tcp.ACK, 8))).hasSize(1);
  }

  @Test
  void shouldLetNothingOvertake() {
    byte[] data = segment(1, 0, 100, Tcp.ACK, 8);
    byte[] acknowledgment = segment(1, 100, 0, Tcp.ACK, 8);
    byte[] reset = segment(1, 100, 0, Tcp.RST, 8);
    assertThat(through(cutting(0, 1), data, acknowledgment, reset))
        .extracting(Segment::length)
        .containsExactly(100, 0, 0);
  }

  @Test
  void shouldPassASegmentWithAWrongChecksumAsItIs() {
    byte[] spoilt = segment(1, 0, 100, Tcp.ACK, 8);
    spoilt[spoilt.length - 1] ^= 1;
    link.put(spoilt);
    ReSegmentingDevice device = cutting(1, 1);
    assertThat(device.receive(packets)).isEqualTo(1);
    assertThat(Memory.bytes(pool.address(packets[0]), pool.length(packets[0]))).isEqualTo(spoilt);
  }

  @Test
  void shouldGiveBackWhatItHoldsWhenClosed() {
    ReSegmentingDevice device = cutting(1, 1);
    link.put(segment(1, 0, 100, Tcp.ACK, 8));
    assertThat(device.receive(packets)).isEqualTo(1);
    pool.release(packets[0]);
    device.close();
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldCutTheSameFromTheSameSeed() {
    byte[][] frames = new byte[10][];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = segment(1, i * 300, 300, Tcp.ACK, i);
    }
    List<Segment> once = through(cutting(0.5, 0.5), frames);
    assertThat(through(cutting(0.5, 0.5), frames)).isEqualTo(once);
    assertThat(once.stream().mapToInt(Segment::length).sum()).isEqualTo(3000);
  }

  @Test
  void shouldRefuseAnImpossibleChance() {
    assertThatThrownBy(() -> cutting(1.5, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cutting(0, Double.NaN)).isInstanceOf(IllegalArgumentException.class);
  }
}
