package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

class ReSegmentedDeviceTest {
  private static final int SOURCE = 0x0a000001;
  private static final int DESTINATION = 0x0a000002;
  private static final int MTU = 1500;
  private static final int TCP = Ethernet.HEADER + Ipv4.HEADER;
  private static final int PAYLOAD = TCP + Tcp.HEADER;

  private final NativePacketPool pool = new NativePacketPool(128, 2048);
  private final LoopedDevice[] link = LoopedDevice.pair(pool, pool, MTU, 64);
  private final long[] packets = new long[16];

  /** Sends a segment with octets that tell their place in the stream. */
  private void send(int sequence, int length, boolean right) {
    long packet = pool.allocate();
    long frame = pool.address(packet);
    long tcp = frame + TCP;
    long sum = Tcp.write(tcp, 1, 7, sequence, 99, Tcp.HEADER, Tcp.ACK, 1234);
    for (int i = 0; i < length; i++) {
      Memory.putByte(frame + PAYLOAD + i, sequence + i);
    }
    int total = Tcp.HEADER + length;
    sum += Checksum.sum(frame + PAYLOAD, length);
    sum += Checksum.pseudoHeader(SOURCE, DESTINATION, Ipv4.PROTOCOL_TCP, total);
    Tcp.putChecksum(tcp, right ? sum : sum + 1);
    Ipv4.write(
        frame + Ethernet.HEADER, Ipv4.HEADER + total, Ipv4.PROTOCOL_TCP, SOURCE, DESTINATION);
    Ethernet.write(frame, link[1].macAddress(), link[0].macAddress(), Ethernet.TYPE_IPV4);
    pool.window(packet, frame, TCP + total);
    packets[0] = packet;
    assertThat(link[0].transmit(packets, 0, 1)).isEqualTo(1);
  }

  /** The payload of each segment received until there are no more, which must follow each other. */
  private List<byte[]> receive(ReSegmentedDevice device, int first) {
    List<byte[]> all = new ArrayList<>();
    int next = first;
    int idle = 0;
    while (idle < 2) {
      int count = device.receive(packets);
      idle = count == 0 ? idle + 1 : 0;
      for (int i = 0; i < count; i++) {
        long frame = pool.address(packets[i]);
        int length = pool.length(packets[i]) - PAYLOAD;
        assertThat(pool.length(packets[i])).isLessThanOrEqualTo(Ethernet.HEADER + MTU);
        assertThat(Tcp.intact(frame + TCP, Tcp.HEADER + length, SOURCE, DESTINATION)).isTrue();
        assertThat(Tcp.sequence(frame + TCP)).isEqualTo(next);
        all.add(Memory.bytes(frame + PAYLOAD, length));
        next += length;
        pool.release(packets[i]);
      }
    }
    return all;
  }

  private List<byte[]> through(double often) {
    ReSegmentedDevice device = new ReSegmentedDevice(link[1], 3, often);
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    for (int i = 0; i < 40; i++) {
      send(i * 300, 300, true);
    }
    List<byte[]> all = receive(device, 0);
    ByteArrayOutputStream came = new ByteArrayOutputStream();
    all.forEach(came::writeBytes);
    for (int i = 0; i < 40 * 300; i++) {
      sent.write(i);
    }
    assertThat(came.toByteArray()).isEqualTo(sent.toByteArray());
    assertThat(device.changed() > 0).isEqualTo(often > 0);
    assertThat(pool.available()).isEqualTo(pool.capacity());
    return all;
  }

  @Test
  void shouldJoinSegmentsOfAStream() {
    assertThat(through(0.75)).anyMatch(each -> each.length > 300);
  }

  @Test
  void shouldSplitSegmentsThatComeAlone() {
    ReSegmentedDevice device = new ReSegmentedDevice(link[1], 3, 1);
    int pieces = 0;
    for (int i = 0; i < 20; i++) {
      send(i * 300, 300, true);
      List<byte[]> parts = receive(device, i * 300);
      assertThat(parts.stream().mapToInt(each -> each.length).sum()).isEqualTo(300);
      pieces += parts.size();
    }
    assertThat(pieces).isGreaterThan(20);
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldPassEverythingWhenItNeverCuts() {
    assertThat(through(0)).hasSize(40).allMatch(each -> each.length == 300);
  }

  @Test
  void shouldCutTheSameFromTheSameSeed() {
    assertThat(through(0.5)).usingRecursiveComparison().isEqualTo(through(0.5));
  }

  @Test
  void shouldPassASegmentWithAWrongChecksumAsItIs() {
    ReSegmentedDevice device = new ReSegmentedDevice(link[1], 3, 1);
    send(0, 100, false);
    assertThat(device.receive(packets)).isEqualTo(1);
    assertThat(pool.length(packets[0])).isEqualTo(PAYLOAD + 100);
    assertThat(device.changed()).isZero();
    pool.release(packets[0]);
  }
}
