package org.rddp.rig;

import java.nio.ByteBuffer;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.PrivateData;

/**
 * A buffer that a program names to its peer in private data: STag (4 octets), TO (8), length (8),
 * in network order.
 *
 * @param stag its STag
 * @param to Tagged Offset of its first octet
 * @param length octets
 */
public record AdvertisedBuffer(int stag, long to, long length) {
  /** Octets of its name. */
  public static final int OCTETS = 20;

  /** Names all of a region. */
  public static AdvertisedBuffer of(MemoryRegion region) {
    return new AdvertisedBuffer(region.stag(), region.baseTo(), region.length());
  }

  /**
   * Reads a name from the beginning of private data.
   *
   * @throws IllegalStateException when it is too short for one
   */
  public static AdvertisedBuffer read(PrivateData data) {
    if (data.length() < OCTETS) {
      throw new IllegalStateException(
          "the peer names no buffer: " + data.length() + " octets of private data");
    }
    ByteBuffer octets = ByteBuffer.wrap(data.toByteArray());
    return new AdvertisedBuffer(octets.getInt(), octets.getLong(), octets.getLong());
  }

  /** The name as private data. */
  public PrivateData toPrivateData() {
    return PrivateData.of(
        ByteBuffer.allocate(OCTETS).putInt(stag).putLong(to).putLong(length).array());
  }
}
