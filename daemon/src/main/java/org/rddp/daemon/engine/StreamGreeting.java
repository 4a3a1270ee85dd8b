package org.rddp.daemon.engine;

import java.nio.ByteBuffer;

/**
 * The private data of the MPA Request and Reply of an octet stream.
 *
 * <pre>
 *  0  magic (8)                   10  port that is asked for (2)
 *  8  version (1)                 12  port of the client (2)
 *  9  flags (1), or of a Reply    14  zero (2)
 *     that rejects: why           16  window (4), octets
 * </pre>
 *
 * <p>A Reply has 16 octets: the window is at 12.
 *
 * @param port that is asked for
 * @param clientPort that the client's program has; 0: that of TCP
 * @param window octets that the client takes before its program has read
 */
public record StreamGreeting(int port, int clientPort, int window) {
  /** Nobody listens at the port. */
  static final int NOBODY = 1;

  /** The version is another one. */
  static final int OTHER_VERSION = 2;

  /** There is no room for a stream now. */
  static final int NO_ROOM = 3;

  /** {@link #readReply}: it is no Reply of this protocol. */
  static final int NONE = -1;

  private static final long MAGIC = 0x5244_4450_5354_5231L; // "RDDPSTR1"
  private static final int VERSION = 1;
  private static final int REQUEST = 20;
  private static final int REPLY = 16;
  private static final int REJECTION = 10;
  private static final int LARGEST = 1 << 30;

  /** The private data of the Request. */
  byte[] encode() {
    return ByteBuffer.allocate(REQUEST)
        .putLong(MAGIC)
        .put((byte) VERSION)
        .put((byte) 0)
        .putShort((short) port)
        .putShort((short) clientPort)
        .putShort((short) 0)
        .putInt(window)
        .array();
  }

  /** Whether private data is of this protocol, in this version or another. */
  static boolean isOurs(byte[] data) {
    return data.length >= REJECTION && ByteBuffer.wrap(data).getLong() == MAGIC;
  }

  /** Reads the private data of a Request; null if it is none of this version. */
  static StreamGreeting decode(byte[] data) {
    if (!isOurs(data) || data.length < REQUEST || data[8] != VERSION) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(data);
    int window = buffer.getInt(16);
    return window < 1 || window > LARGEST
        ? null
        : new StreamGreeting(buffer.getShort(10) & 0xffff, buffer.getShort(12) & 0xffff, window);
  }

  /** The private data of the Reply that accepts. */
  static byte[] reply(int window) {
    return ByteBuffer.allocate(REPLY)
        .putLong(MAGIC)
        .put((byte) VERSION)
        .put((byte) 0)
        .putShort((short) 0)
        .putInt(window)
        .array();
  }

  /** The window in the private data of a Reply that accepts, or {@link #NONE}. */
  static int readReply(byte[] data) {
    if (!isOurs(data) || data.length < REPLY || data[8] != VERSION) {
      return NONE;
    }
    int window = ByteBuffer.wrap(data).getInt(12);
    return window < 1 || window > LARGEST ? NONE : window;
  }

  /** The private data of a Reply that rejects. */
  static byte[] rejection(int why) {
    return ByteBuffer.allocate(REJECTION)
        .putLong(MAGIC)
        .put((byte) VERSION)
        .put((byte) why)
        .array();
  }

  /** Why a Reply rejects, or {@link #NONE}. */
  static int readRejection(byte[] data) {
    return isOurs(data) ? data[9] : NONE;
  }
}
