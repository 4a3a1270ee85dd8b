package org.rddp.daemon.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;

/**
 * Runs the program on frames, as the kernel does; that the kernel takes it, DeviceTableTest shows.
 */
class XdpFilterTest {
  private static final long MAC = 0x02_81_82_83_84_85L;
  private static final int MAP = 77;
  private static final int QUEUE = 3;

  private static final List<HostAddress> BOTH =
      List.of(
          Ipv4Address.parse("10.0.0.129"),
          Ipv6Address.parse("fd00::1"),
          Ipv6Address.parse("fe80::2"));

  /** Runs a program; whether it redirects the frame. Reads of more than the frame fail. */
  private static boolean takes(List<HostAddress> addresses, byte[] octets) {
    ByteBuffer program =
        ByteBuffer.wrap(XdpFilter.of(MAC, addresses, MAP)).order(ByteOrder.nativeOrder());
    ByteBuffer frame = ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder());
    // The context is at 0 to 19, the frame at 1000.
    long[] registers = new long[11];
    for (int at = 0; ; at += 8) {
      int code = program.get(at) & 0xff;
      int to = program.get(at + 1) & 0xf;
      int from = program.get(at + 1) >>> 4 & 0xf;
      int offset = program.getShort(at + 2);
      int constant = program.getInt(at + 4);
      int jump = 0;
      switch (code) {
        case 0x61, 0x69 -> registers[to] = load(registers[from] + offset, code == 0x61, frame);
        case 0xb7 -> registers[to] = constant;
        case 0xbf -> registers[to] = registers[from];
        case 0x07 -> registers[to] += constant;
        case 0x05 -> jump = offset;
        case 0x2d -> jump = registers[to] > registers[from] ? offset : 0;
        case 0x56 -> jump = (int) registers[to] != constant ? offset : 0;
        case 0x18 -> {
          assertThat(from).as("a map").isOne();
          registers[to] = constant;
          at += 8;
        }
        case 0x85 -> {
          assertThat(constant).isEqualTo(51);
          assertThat(registers[1]).isEqualTo(MAP);
          assertThat(registers[2]).isEqualTo(QUEUE);
          assertThat(registers[3]).as("XDP_PASS").isEqualTo(2);
          registers[0] = 4;
        }
        case 0x95 -> {
          assertThat(registers[0]).isIn(2L, 4L);
          return registers[0] == 4;
        }
        default -> throw new AssertionError("instruction " + code);
      }
      at += 8 * jump;
    }
  }

  private static long load(long address, boolean word, ByteBuffer frame) {
    return switch ((int) address) {
      case 0 -> 1000;
      case 4 -> 1000 + frame.limit();
      case 16 -> QUEUE;
      default -> {
        int at = (int) address - 1000;
        yield word ? Integer.toUnsignedLong(frame.getInt(at)) : frame.getShort(at) & 0xffffL;
      }
    };
  }

  private static byte[] frame(long mac, int type, int at, String address) {
    ByteBuffer frame = ByteBuffer.allocate(74);
    frame.putLong(mac << 16).putLong(0).putShort(12, (short) type);
    switch (HostAddress.parse(address)) {
      case Ipv4Address ipv4 -> frame.putInt(at, ipv4.bits());
      case Ipv6Address ipv6 -> frame.putLong(at, ipv6.high()).putLong(at + 8, ipv6.low());
    }
    return frame.array();
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.129, true",
    "10.0.0.1, false",
    "10.0.0.255, false",
    "224.0.0.1, false",
  })
  void shouldTakeOurIpv4(String destination, boolean taken) {
    byte[] frame = frame(MAC, 0x0800, 30, destination);
    assertThat(takes(BOTH, frame)).isEqualTo(taken);
    assertThat(takes(BOTH.subList(1, 3), frame)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "fd00::1, true",
    "fe80::2, true",
    "fd00::2, false",
    "fd00:0:0:1::1, false",
    "ff02::1:ff00:1, false",
  })
  void shouldTakeOurIpv6(String destination, boolean taken) {
    byte[] frame = frame(MAC, 0x86dd, 38, destination);
    assertThat(takes(BOTH, frame)).isEqualTo(taken);
    assertThat(takes(BOTH.subList(0, 1), frame)).isFalse();
  }

  @Test
  void shouldLeaveOthersToTheKernel() {
    assertThat(takes(BOTH, frame(MAC ^ 1, 0x0800, 30, "10.0.0.129"))).as("another MAC").isFalse();
    assertThat(takes(BOTH, frame(MAC ^ 1L << 40, 0x0800, 30, "10.0.0.129"))).isFalse();
    assertThat(takes(BOTH, frame(MAC, 0x0806, 30, "10.0.0.129"))).as("ARP").isFalse();
    assertThat(takes(BOTH, frame(MAC, 0x8100, 34, "10.0.0.129"))).as("a VLAN").isFalse();
    assertThat(takes(BOTH, frame(MAC, 0x86dd, 30, "10.0.0.129"))).isFalse();
  }

  @Test
  void shouldNotReadBehindShortFrames() {
    for (int length = 0; length < 54; length++) {
      byte[] ipv4 = Arrays.copyOf(frame(MAC, 0x0800, 30, "10.0.0.129"), length);
      assertThat(takes(BOTH, ipv4)).isEqualTo(length >= 34);
      assertThat(takes(BOTH, Arrays.copyOf(frame(MAC, 0x86dd, 38, "fd00::1"), length))).isFalse();
    }
  }
}
