package org.rddp.daemon.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;

/** Runs the filter's program on frames, as the kernel does. */
class AddressFilterTest {
  private static final int HOST = 0;
  private static final int MULTICAST = 2;
  private static final int OTHER_HOST = 3;
  private static final int OUTGOING = 4;
  private static final int FRAME = 74;

  private static final List<HostAddress> BOTH =
      List.of(
          Ipv4Address.parse("10.0.0.1"),
          Ipv6Address.parse("fd00::1"),
          Ipv6Address.parse("fe80::2"));
  private static final List<HostAddress> IPV4_ONLY = List.of(Ipv4Address.parse("10.0.0.1"));
  private static final List<HostAddress> IPV6_ONLY = List.of(Ipv6Address.parse("fd00::1"));

  /** Runs a program of classic BPF; returns the octets that it takes of a frame. */
  private static int run(List<HostAddress> addresses, ByteBuffer frame, int type, int tagged) {
    ByteBuffer program =
        ByteBuffer.wrap(AddressFilter.of(addresses)).order(ByteOrder.nativeOrder());
    int loaded = 0;
    for (int at = 0; ; at += 8) {
      int value = program.getInt(at + 4);
      switch (program.getShort(at)) {
        case 0x20 ->
            loaded =
                switch (value) {
                  case -0x1000 + 4 -> type;
                  case -0x1000 + 48 -> tagged;
                  default -> frame.getInt(value);
                };
        case 0x28 -> loaded = Short.toUnsignedInt(frame.getShort(value));
        case 0x30 -> loaded = Byte.toUnsignedInt(frame.get(value));
        case 0x15 -> at += 8 * Byte.toUnsignedInt(program.get(at + (loaded == value ? 2 : 3)));
        case 0x06 -> {
          return value;
        }
        default -> throw new AssertionError("instruction " + program.getShort(at));
      }
    }
  }

  private static boolean takes(List<HostAddress> addresses, ByteBuffer frame) {
    return run(addresses, frame, HOST, 0) > FRAME;
  }

  private static ByteBuffer ipv4(String destination) {
    ByteBuffer frame = ByteBuffer.allocate(FRAME).putShort(12, (short) 0x0800);
    return frame.putInt(30, Ipv4Address.parse(destination).bits());
  }

  private static ByteBuffer ipv6(String destination, int nextHeader) {
    Ipv6Address address = Ipv6Address.parse(destination);
    return ByteBuffer.allocate(FRAME)
        .putShort(12, (short) 0x86dd)
        .put(20, (byte) nextHeader)
        .putLong(38, address.high())
        .putLong(46, address.low());
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, true, true, false",
    "10.0.0.2, false, false, false",
    "11.0.0.1, false, false, false",
    "255.255.255.255, false, false, false",
    "224.0.0.1, false, false, false",
  })
  void shouldTakeOurIpv4(String destination, boolean both, boolean only, boolean none) {
    assertThat(takes(BOTH, ipv4(destination))).isEqualTo(both);
    assertThat(takes(IPV4_ONLY, ipv4(destination))).isEqualTo(only);
    assertThat(takes(IPV6_ONLY, ipv4(destination))).isEqualTo(none);
  }

  /** Next headers: 6 is TCP, 17 UDP, 58 ICMPv6, 0 the options hop by hop of MLD's queries. */
  @ParameterizedTest
  @CsvSource({
    "fd00::1, 6, true",
    "fd00::1, 58, true",
    "fe80::2, 58, true",
    "fd00::2, 6, false",
    "fd00:0:0:1::1, 6, false",
    "fd01::1, 6, false",
    "fd00::1:0:1, 6, false",
    "ff02::1, 58, true",
    "ff02::1:ff00:1, 58, true",
    "ff02::1, 0, true",
    "ff02::fb, 17, false",
  })
  void shouldTakeOurIpv6(String destination, int nextHeader, boolean taken) {
    assertThat(takes(BOTH, ipv6(destination, nextHeader))).isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource({"0806, true", "8100, false", "88cc, false", "0805, false"})
  void shouldTakeArpOfAllOtherFrames(String type, boolean taken) {
    ByteBuffer frame = ByteBuffer.allocate(FRAME).putShort(12, (short) Integer.parseInt(type, 16));
    assertThat(takes(BOTH, frame)).isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource({
    HOST + ", 0, true",
    MULTICAST + ", 0, true",
    OTHER_HOST + ", 0, false",
    OUTGOING + ", 0, false",
    HOST + ", 1, false",
  })
  void shouldTakeFramesForThisHostWithoutATag(int type, int tagged, boolean taken) {
    assertThat(run(BOTH, ipv4("10.0.0.1"), type, tagged) > FRAME).isEqualTo(taken);
  }
}
