package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.rddp.dpdk.generated.Dpdk;

/**
 * The expanded keys of an association of ESP with AES-GCM (RFC 4106), by libipsec-mb. Sealing and
 * opening allocate nothing. One thread at a time uses it.
 */
public final class EspKey implements AutoCloseable {
  private final MemorySegment key;
  private boolean closed;

  private EspKey(MemorySegment key) {
    this.key = key;
  }

  /**
   * Whether the shim was built with libipsec-mb, which is there, and the processor has instructions
   * for AES-GCM.
   *
   * @throws DpdkException if the shim cannot be loaded
   */
  public static boolean isSupported() {
    NativeLibrary.load();
    return Dpdk.rddp_esp_gcm_supported() != 0;
  }

  /**
   * Expands keys.
   *
   * @param keys 16 or 32 octets of key and 4 of salt
   * @param esn whether sequence numbers have 64 bits
   * @return empty if that is not supported, or there is no memory
   */
  public static Optional<EspKey> of(byte[] keys, boolean esn) {
    if (!isSupported()) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_BYTE, keys);
      MemorySegment key = Dpdk.rddp_esp_key_new(copy, keys.length, esn ? 1 : 0);
      copy.fill((byte) 0);
      return key.address() == 0 ? Optional.empty() : Optional.of(new EspKey(key));
    }
  }

  /**
   * Writes a sealed packet.
   *
   * @param payload address of the payload, which is not written
   * @param length its octets
   * @param next next header
   * @param sealed address of the ESP header to write; the packet must not overlap the payload
   */
  public void seal(long payload, int length, int next, int spi, long sequence, long sealed) {
    Native.espSeal(key.address(), payload, length, next, spi, sequence, sealed);
  }

  /**
   * Decrypts a sealed packet in place.
   *
   * @param sealed address of its ESP header
   * @param length octets up to the ICV's end
   * @return octets of payload, padding and trailer; -1 if the packet is not authentic
   */
  public int open(long sealed, int length, long sequence) {
    return Native.espOpen(key.address(), sealed, length, sequence);
  }

  /** Overwrites and frees the keys; a second call does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      Dpdk.rddp_esp_key_free(key);
    }
  }
}
