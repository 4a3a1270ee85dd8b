package org.rddp.dpdk;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.rddp.dpdk.generated.Dpdk;

/**
 * The native calls made per burst or packet, as constant method handles that the JIT inlines.
 *
 * <p>Addresses are {@code long}, so that nothing is allocated. Calls without {@code Blocking} in
 * their names are {@linkplain Linker.Option#critical critical}: they omit the thread state
 * transition, which is most of a call's cost, but delay every safepoint while they last. They must
 * not be used for a device that may block in the kernel.
 *
 * <p>Arguments are not checked: a wrong address ends the process.
 */
final class Native {
  private static final MethodHandle RX;
  private static final MethodHandle RX_BLOCKING;
  private static final MethodHandle TX;
  private static final MethodHandle TX_BLOCKING;
  private static final MethodHandle ALLOC_BULK;
  private static final MethodHandle FREE_BULK;
  private static final MethodHandle ALLOC;
  private static final MethodHandle FREE;
  private static final MethodHandle ESP_SEAL;
  private static final MethodHandle ESP_OPEN;

  static {
    NativeLibrary.load();
    Linker.Option critical = Linker.Option.critical(false);
    RX = handle(Dpdk.rddp_rx_burst$address(), Dpdk.rddp_rx_burst$descriptor(), critical);
    RX_BLOCKING = handle(Dpdk.rddp_rx_burst$address(), Dpdk.rddp_rx_burst$descriptor());
    TX = handle(Dpdk.rddp_tx_burst$address(), Dpdk.rddp_tx_burst$descriptor(), critical);
    TX_BLOCKING = handle(Dpdk.rddp_tx_burst$address(), Dpdk.rddp_tx_burst$descriptor());
    ALLOC_BULK =
        handle(Dpdk.rddp_alloc_bulk$address(), Dpdk.rddp_alloc_bulk$descriptor(), critical);
    FREE_BULK = handle(Dpdk.rddp_free_bulk$address(), Dpdk.rddp_free_bulk$descriptor(), critical);
    ALLOC = handle(Dpdk.rddp_alloc$address(), Dpdk.rddp_alloc$descriptor(), critical);
    FREE = handle(Dpdk.rddp_free$address(), Dpdk.rddp_free$descriptor(), critical);
    ESP_SEAL = handle(Dpdk.rddp_esp_seal$address(), Dpdk.rddp_esp_seal$descriptor(), critical);
    ESP_OPEN = handle(Dpdk.rddp_esp_open$address(), Dpdk.rddp_esp_open$descriptor(), critical);
  }

  private Native() {}

  static int rxBurst(short port, short queue, long mbufs, short count) {
    try {
      return (short) RX.invokeExact(port, queue, mbufs, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int rxBurstBlocking(short port, short queue, long mbufs, short count) {
    try {
      return (short) RX_BLOCKING.invokeExact(port, queue, mbufs, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int txBurst(short port, short queue, long mbufs, short count) {
    try {
      return (short) TX.invokeExact(port, queue, mbufs, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int txBurstBlocking(short port, short queue, long mbufs, short count) {
    try {
      return (short) TX_BLOCKING.invokeExact(port, queue, mbufs, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int allocBulk(long pool, long mbufs, int count) {
    try {
      return (int) ALLOC_BULK.invokeExact(pool, mbufs, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void freeBulk(long mbufs, int count) {
    try {
      FREE_BULK.invokeExact(mbufs, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static long alloc(long pool) {
    try {
      return (long) ALLOC.invokeExact(pool);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void free(long mbuf) {
    try {
      FREE.invokeExact(mbuf);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void espSeal(
      long key, long payload, int length, int next, int spi, long sequence, long sealed) {
    try {
      ESP_SEAL.invokeExact(key, payload, length, next, spi, sequence, sealed);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int espOpen(long key, long sealed, int length, long sequence) {
    try {
      return (int) ESP_OPEN.invokeExact(key, sealed, length, sequence);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static MethodHandle handle(
      MemorySegment address, FunctionDescriptor generated, Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(address, withAddressesAsLong(generated), options);
  }

  /** The generated descriptor with {@code long} for pointers: the same registers, no segments. */
  private static FunctionDescriptor withAddressesAsLong(FunctionDescriptor generated) {
    MemoryLayout[] arguments =
        generated.argumentLayouts().stream()
            .map(Native::withAddressAsLong)
            .toArray(MemoryLayout[]::new);
    return generated
        .returnLayout()
        .map(result -> FunctionDescriptor.of(withAddressAsLong(result), arguments))
        .orElseGet(() -> FunctionDescriptor.ofVoid(arguments));
  }

  private static MemoryLayout withAddressAsLong(MemoryLayout layout) {
    return layout instanceof AddressLayout ? ValueLayout.JAVA_LONG : layout;
  }

  private static AssertionError unexpected(Throwable e) {
    return new AssertionError("A native call cannot throw", e);
  }
}
