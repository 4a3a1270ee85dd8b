package org.rddp.perf;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.rddp.client.types.PrivateData;
import org.rddp.rig.AdvertisedBuffer;

/**
 * Asks {@code rddp echo} for a measurement: the private data of the peer's MPA Request, 48 octets
 * in network order.
 *
 * <pre>
 *  0  magic (8)        "rddpperf"
 *  8  version (2)      1
 * 10  service (1)      a code of Service
 * 11  verb (1)         a code of Verb
 * 12  flags (2)        1: the server waits for events instead of polling
 * 14  outstanding (2)  operations of each end at a time
 * 16  size (4)         octets of a message
 * 20  zero (8)
 * 28  STag (4), Tagged Offset (8), length (8) of the peer's buffer
 * </pre>
 *
 * @param service what the server does
 * @param verb the operation that is measured
 * @param size octets of a message, 1 to {@link #LARGEST}; 8 of an atomic
 * @param outstanding operations of each end at a time, 1 to {@link #DEEPEST}
 * @param events whether the server waits for events instead of polling
 * @param buffer the peer's memory, for the server's operations
 */
public record PerfRequest(
    Service service,
    Verb verb,
    int size,
    int outstanding,
    boolean events,
    AdvertisedBuffer buffer) {
  /** Octets of the largest message. */
  public static final int LARGEST = 1 << 30;

  /** The most operations outstanding. */
  public static final int DEEPEST = 4096;

  /** "rddpperf". */
  static final long MAGIC = 0x7264_6470_7065_7266L;

  static final short VERSION = 1;
  private static final int OCTETS = 28 + AdvertisedBuffer.OCTETS;
  private static final int EVENTS = 1;

  /** Checks the ranges. */
  public PerfRequest {
    if (size < 1 || size > LARGEST || (verb == Verb.ATOMIC && size != Long.BYTES)) {
      throw new IllegalArgumentException("a message of " + size + " octets");
    }
    if (outstanding < 1 || outstanding > DEEPEST) {
      throw new IllegalArgumentException(outstanding + " operations at a time");
    }
  }

  /** The request as private data. */
  public PrivateData toPrivateData() {
    return PrivateData.of(
        ByteBuffer.allocate(OCTETS)
            .putLong(MAGIC)
            .putShort(VERSION)
            .put((byte) service.code())
            .put((byte) verb.code())
            .putShort((short) (events ? EVENTS : 0))
            .putShort((short) outstanding)
            .putInt(size)
            .putLong(0)
            .put(buffer.toPrivateData().toByteArray())
            .array());
  }

  /**
   * Reads the request of a peer.
   *
   * @return empty if the peer asks for no measurement
   * @throws IllegalArgumentException if the request has another version or is malformed
   */
  public static Optional<PerfRequest> read(PrivateData data) {
    ByteBuffer octets = ByteBuffer.wrap(data.toByteArray());
    if (octets.remaining() < Long.BYTES || octets.getLong() != MAGIC) {
      return Optional.empty();
    }
    if (octets.remaining() < Short.BYTES || octets.getShort() != VERSION) {
      throw new IllegalArgumentException(
          "a request of another version of rddp perf, this server has version " + VERSION);
    }
    if (data.length() < OCTETS) {
      throw new IllegalArgumentException("a request of " + data.length() + " octets");
    }
    Service service = constant(Service.values(), Service::code, octets.get());
    Verb verb = constant(Verb.values(), Verb::code, octets.get());
    boolean events = (octets.getShort() & EVENTS) != 0;
    int outstanding = Short.toUnsignedInt(octets.getShort());
    int size = octets.getInt();
    octets.getLong();
    AdvertisedBuffer buffer =
        new AdvertisedBuffer(octets.getInt(), octets.getLong(), octets.getLong());
    return Optional.of(new PerfRequest(service, verb, size, outstanding, events, buffer));
  }

  private static <T> T constant(T[] all, ToIntFunction<T> code, byte number) {
    for (T each : all) {
      if (code.applyAsInt(each) == number) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "unknown " + all[0].getClass().getSimpleName() + " " + number);
  }

  /** Octets of the server's memory that is written, and from which it writes. */
  public long bufferOctets() {
    return service == Service.WRITE_BACK
        ? new MarkedSlots(size, outstanding).octets()
        : Math.max(size, Long.BYTES);
  }
}
