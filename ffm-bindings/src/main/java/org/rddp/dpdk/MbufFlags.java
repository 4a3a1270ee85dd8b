package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.dpdk.generated.Dpdk;
import org.rddp.dpdk.generated.rddp_offload_flags;

/**
 * The offload flags of a packet buffer ({@link MbufLayout#OL_FLAGS}) and the format of {@link
 * MbufLayout#TX_OFFLOAD}.
 *
 * <p>The values come from the headers that the shim was compiled with; the JIT treats them as
 * constants.
 */
public final class MbufFlags {
  /** Received: mask of the port's result for the TCP checksum; 0 means none. */
  public static final long RX_L4_MASK;

  /** In {@link #RX_L4_MASK}: the checksum is right. */
  public static final long RX_L4_GOOD;

  /**
   * In {@link #RX_L4_MASK}: the checksum was omitted on a link that guarantees integrity itself.
   */
  public static final long RX_L4_NONE;

  /** In {@link #RX_L4_MASK}: the checksum is wrong. */
  public static final long RX_L4_BAD;

  /** To be transmitted: an IPv4 packet. */
  public static final long TX_IPV4;

  /** To be transmitted: an IPv6 packet. */
  public static final long TX_IPV6;

  /** To be transmitted: compute the IP header's checksum, whose field is 0. */
  public static final long TX_IP_CHECKSUM;

  /** To be transmitted: compute the TCP checksum, whose field holds the pseudo header's sum. */
  public static final long TX_TCP_CHECKSUM;

  /** To be transmitted: cut into segments. The pseudo header's sum then excludes the length. */
  public static final long TX_TCP_SEGMENT;

  private static final int L2_SHIFT;
  private static final int L3_SHIFT;
  private static final int L4_SHIFT;
  private static final int SEGMENT_SHIFT;

  static {
    NativeLibrary.load();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment flags = rddp_offload_flags.allocate(arena);
      Dpdk.rddp_get_offload_flags(flags);
      RX_L4_MASK = rddp_offload_flags.rx_l4_mask(flags);
      RX_L4_GOOD = rddp_offload_flags.rx_l4_good(flags);
      RX_L4_NONE = rddp_offload_flags.rx_l4_none(flags);
      RX_L4_BAD = rddp_offload_flags.rx_l4_bad(flags);
      TX_IPV4 = rddp_offload_flags.tx_ipv4(flags);
      TX_IPV6 = rddp_offload_flags.tx_ipv6(flags);
      TX_IP_CHECKSUM = rddp_offload_flags.tx_ip_checksum(flags);
      TX_TCP_CHECKSUM = rddp_offload_flags.tx_tcp_checksum(flags);
      TX_TCP_SEGMENT = rddp_offload_flags.tx_tcp_segment(flags);
      L2_SHIFT = rddp_offload_flags.l2_shift(flags);
      L3_SHIFT = rddp_offload_flags.l3_shift(flags);
      L4_SHIFT = rddp_offload_flags.l4_shift(flags);
      SEGMENT_SHIFT = rddp_offload_flags.segment_shift(flags);
    }
  }

  private MbufFlags() {}

  /** Octets of the link header in a value of {@link MbufLayout#TX_OFFLOAD}. */
  public static int linkHeader(long txOffload) {
    return (int) (txOffload >>> L2_SHIFT) & ((1 << (L3_SHIFT - L2_SHIFT)) - 1);
  }

  /** Octets of the IP header in a value of {@link MbufLayout#TX_OFFLOAD}. */
  public static int ipHeader(long txOffload) {
    return (int) (txOffload >>> L3_SHIFT) & ((1 << (L4_SHIFT - L3_SHIFT)) - 1);
  }

  /** Octets of the TCP header in a value of {@link MbufLayout#TX_OFFLOAD}. */
  public static int tcpHeader(long txOffload) {
    return (int) (txOffload >>> L4_SHIFT) & ((1 << (SEGMENT_SHIFT - L4_SHIFT)) - 1);
  }

  /** Octets of payload in each segment in a value of {@link MbufLayout#TX_OFFLOAD}. */
  public static int segment(long txOffload) {
    return (int) (txOffload >>> SEGMENT_SHIFT) & 0xffff;
  }

  /**
   * The value of {@link MbufLayout#TX_OFFLOAD} for headers of given lengths in octets.
   *
   * @param segment octets of payload per segment that the frame is cut into; 0 for no cutting
   */
  public static long txOffload(int linkHeader, int ipHeader, int tcpHeader, int segment) {
    return (long) linkHeader << L2_SHIFT
        | (long) ipHeader << L3_SHIFT
        | (long) tcpHeader << L4_SHIFT
        | (long) segment << SEGMENT_SHIFT;
  }
}
