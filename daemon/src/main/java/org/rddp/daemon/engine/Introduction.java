package org.rddp.daemon.engine;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import org.rddp.client.types.Reason;

/**
 * What a connecting queue pair says of itself and of the one that it asks for: the private data of
 * the MPA Request to a queue-pair-port.
 *
 * <pre>
 *  0  magic (4)               8  number of the connecting queue pair (4)
 *  4  version (1)            12  number of the accepting queue pair (4)
 *  5  flags (1): 1, 2        16  PSN of the connecting end's sends (4), 0 if it is not known
 *  6  zero (2)               20  PSN of the accepting end's sends (4), 0 if it is not known
 * </pre>
 *
 * <p>The flags say which PSN is known. The Reply has the first eight octets, with flags of 0.
 * Octets that follow are of other offers.
 *
 * @param from number of the connecting queue pair
 * @param to number of the accepting queue pair
 * @param fromPsn PSN of the connecting end's sends, or {@link #UNKNOWN}
 * @param toPsn PSN of the accepting end's sends, or {@link #UNKNOWN}
 */
public record Introduction(int from, int to, int fromPsn, int toPsn) {
  /** A PSN that has not been said. */
  public static final int UNKNOWN = -1;

  /** A number, and a PSN, has 24 bits. */
  public static final int MOST = 0xff_ffff;

  private static final int MAGIC = 0x5244_5150; // "RDQP"
  private static final int VERSION = 1;
  private static final int OCTETS = 24;
  private static final int REPLY_OCTETS = 8;
  private static final int FROM_PSN = 1;
  private static final int TO_PSN = 2;

  /** The private data of the Request. */
  byte[] encode() {
    int flags = (fromPsn == UNKNOWN ? 0 : FROM_PSN) | (toPsn == UNKNOWN ? 0 : TO_PSN);
    return ByteBuffer.allocate(OCTETS)
        .putInt(MAGIC)
        .putInt(VERSION << 24 | flags << 16)
        .putInt(from)
        .putInt(to)
        .putInt(Math.max(fromPsn, 0))
        .putInt(Math.max(toPsn, 0))
        .array();
  }

  /** Reads the private data of a Request; null if it is no introduction of this version. */
  static Introduction decode(byte[] data) {
    if (data.length < OCTETS) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(data);
    int magic = buffer.getInt();
    int kind = buffer.getInt();
    int flags = kind >>> 16 & 0xff;
    if (magic != MAGIC || kind >>> 24 != VERSION) {
      return null;
    }
    int from = buffer.getInt();
    int to = buffer.getInt();
    int fromPsn = buffer.getInt();
    int toPsn = buffer.getInt();
    return new Introduction(
        from,
        to,
        (flags & FROM_PSN) == 0 ? UNKNOWN : fromPsn & MOST,
        (flags & TO_PSN) == 0 ? UNKNOWN : toPsn & MOST);
  }

  /**
   * Refuses private data of a program that begin as an introduction, or the answer to one, does: a
   * daemon would believe it to be of ours. The reserved ports do not include that of a peer's
   * daemon which is configured otherwise.
   */
  public static void checkNone(byte[] privateData) throws RequestRefusedException {
    if (privateData.length >= Integer.BYTES && ByteBuffer.wrap(privateData).getInt() == MAGIC) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "private data that begin with 0x%08x are of daemons only, which introduce queue pairs so; put anything else first"
              .formatted(MAGIC));
    }
    if (StreamGreeting.isOurs(privateData)) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "private data that begin with RDDPSTR1 are of daemons only, which open octet streams so");
    }
  }

  /** The private data of the Reply that accepts. */
  static byte[] reply() {
    return ByteBuffer.allocate(REPLY_OCTETS).putInt(MAGIC).putInt(VERSION << 24).array();
  }

  /** Whether the private data of a Reply is that of a daemon that knows introductions. */
  static boolean isReply(byte[] data) {
    return data.length >= REPLY_OCTETS && ByteBuffer.wrap(data).getInt() == MAGIC;
  }

  /** What follows in the private data of such a Reply. */
  static byte[] offers(byte[] reply) {
    return Arrays.copyOfRange(reply, REPLY_OCTETS, reply.length);
  }

  /** Whether at least one PSN can be compared: the introduction and the accepting end know it. */
  boolean isComparable(int ownPsn) {
    return fromPsn != UNKNOWN || (toPsn != UNKNOWN && ownPsn != UNKNOWN);
  }

  /**
   * Whether it is the one that the accepting end expects. The time that this takes does not depend
   * on where they differ.
   *
   * @param ownPsn PSN of the accepting end's sends, or {@link #UNKNOWN}
   */
  boolean matches(int peer, int own, int peerPsn, int ownPsn) {
    Introduction expected =
        new Introduction(
            peer,
            own,
            fromPsn == UNKNOWN ? UNKNOWN : peerPsn,
            toPsn == UNKNOWN || ownPsn == UNKNOWN ? toPsn : ownPsn);
    return MessageDigest.isEqual(encode(), expected.encode());
  }
}
