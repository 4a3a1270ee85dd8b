package org.rddp.rig;

import java.nio.ByteBuffer;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.PrivateData;

/**
 * A buffer that a program advertises to its peer in private data: STag (4 octets), Tagged Offset
 * (8) and length (8), in network order.
 *
 * @param stag of the buffer
 * @param to Tagged Offset of its first octet
 * @param length octets
 */
public record AdvertisedBuffer(int stag, long to, long length) {
  /** Octets of the advertisement. */
  public static final int OCTETS = 20;

  /** All of a region. */
  public static AdvertisedBuffer of(MemoryRegion region) {
    return new AdvertisedBuffer(region.stag(), region.baseTo(), region.length());
  }

  /**
   * Reads an advertisement from the beginning of private data.
   *
   * @throws IllegalStateException when the data is too short
   */
  public static AdvertisedBuffer read(PrivateData data) {
    if (data.length() < OCTETS) {
      throw new IllegalStateException(
          "the peer advertises no buffer: " + data.length() + " octets of private data");
    }
    ByteBuffer octets = ByteBuffer.wrap(data.toByteArray());
    return new AdvertisedBuffer(octets.getInt(), octets.getLong(), octets.getLong());
  }

  /** The advertisement as private data. */
  public PrivateData toPrivateData() {
    return PrivateData.of(
        ByteBuffer.allocate(OCTETS).putInt(stag).putLong(to).putLong(length).array());
  }
}
