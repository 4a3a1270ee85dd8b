package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.dpdk.generated.Dpdk;
import org.rddp.dpdk.generated.rddp_mbuf_layout;

/**
 * The layout of a packet buffer ({@code rte_mbuf}): offsets of its members in octets from the
 * buffer's address.
 *
 * <p>The values come from the headers that the shim was compiled with. They are read when the class
 * is initialised and never change, so the JIT treats them as constants. The members are in the
 * machine's byte order.
 *
 * <p>A buffer's data is at {@code [BUF_ADDR] + [DATA_OFF]} and has {@code [DATA_LEN]} octets; the
 * memory around it goes from {@code [BUF_ADDR]} to {@code [BUF_ADDR] + [BUF_LEN]}. A frame may be a
 * chain of {@code [NB_SEGS]} buffers linked by {@code [NEXT]}, with {@code [PKT_LEN]} octets in
 * all; the first buffer holds both numbers.
 */
public final class MbufLayout {
  /** Octets of an {@code rte_mbuf} itself, without private area and data. */
  public static final int SIZE;

  /** Octets in front of the data of a newly allocated buffer. */
  public static final int HEADROOM;

  /** 64 bits: address of the buffer's memory. */
  public static final int BUF_ADDR;

  /** 16 bits: the first octet of data, from {@link #BUF_ADDR}. */
  public static final int DATA_OFF;

  /** 16 bits: references. */
  public static final int REFCNT;

  /** 16 bits: buffers in the chain that this one begins. */
  public static final int NB_SEGS;

  /** 64 bits: offload flags. */
  public static final int OL_FLAGS;

  /** 32 bits: octets of data in the whole chain. */
  public static final int PKT_LEN;

  /** 16 bits: octets of data in this buffer. */
  public static final int DATA_LEN;

  /** 16 bits: octets of the buffer's memory, headroom included. */
  public static final int BUF_LEN;

  /** 64 bits: the pool that the buffer returns to. */
  public static final int POOL;

  /** 64 bits: the next buffer of the chain, or 0. */
  public static final int NEXT;

  /** 64 bits: header lengths for transmit offloads. */
  public static final int TX_OFFLOAD;

  static {
    NativeLibrary.load();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment layout = rddp_mbuf_layout.allocate(arena);
      Dpdk.rddp_get_mbuf_layout(layout);
      SIZE = rddp_mbuf_layout.size(layout);
      HEADROOM = rddp_mbuf_layout.headroom(layout);
      BUF_ADDR = rddp_mbuf_layout.buf_addr(layout);
      DATA_OFF = rddp_mbuf_layout.data_off(layout);
      REFCNT = rddp_mbuf_layout.refcnt(layout);
      NB_SEGS = rddp_mbuf_layout.nb_segs(layout);
      OL_FLAGS = rddp_mbuf_layout.ol_flags(layout);
      PKT_LEN = rddp_mbuf_layout.pkt_len(layout);
      DATA_LEN = rddp_mbuf_layout.data_len(layout);
      BUF_LEN = rddp_mbuf_layout.buf_len(layout);
      POOL = rddp_mbuf_layout.pool(layout);
      NEXT = rddp_mbuf_layout.next(layout);
      TX_OFFLOAD = rddp_mbuf_layout.tx_offload(layout);
    }
  }

  private MbufLayout() {}
}
