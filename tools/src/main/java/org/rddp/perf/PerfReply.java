package org.rddp.perf;

import java.nio.ByteBuffer;
import org.rddp.client.types.PrivateData;
import org.rddp.rig.AdvertisedBuffer;

/**
 * The server's answer to a {@link PerfRequest}: private data of its MPA Reply. The advertisement of
 * a buffer, as every peer gets it, is followed by the magic number (8 octets) and the version (2)
 * of the request, which show the peer that the server has understood it.
 *
 * @param buffer the server's memory, which the peer may write and read, also by atomics
 */
public record PerfReply(AdvertisedBuffer buffer) {
  private static final int OCTETS = AdvertisedBuffer.OCTETS + Long.BYTES + Short.BYTES;

  /** The reply as private data. */
  public PrivateData toPrivateData() {
    return PrivateData.of(
        ByteBuffer.allocate(OCTETS)
            .put(buffer.toPrivateData().toByteArray())
            .putLong(PerfRequest.MAGIC)
            .putShort(PerfRequest.VERSION)
            .array());
  }

  /**
   * Reads the server's answer.
   *
   * @throws PerfException if the server has not understood the request
   */
  public static PerfReply read(PrivateData data) {
    if (data.length() >= OCTETS) {
      ByteBuffer octets = ByteBuffer.wrap(data.toByteArray(), AdvertisedBuffer.OCTETS, 8);
      if (octets.getLong() == PerfRequest.MAGIC) {
        return new PerfReply(AdvertisedBuffer.read(data));
      }
    }
    throw new PerfException(
        "the program that listens there is no 'rddp echo' that knows 'rddp perf': start 'rddp echo'"
            + " of the same release there");
  }
}
