package org.rddp.daemon.replacement;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.rddp.ipc.linux.Descriptor;

/**
 * What two daemons say to each other.
 *
 * @param first of {@link Kind#ASK}: the format of snapshots; of {@link Kind#STATE}: octets
 * @param second of {@link Kind#ASK}: 1: everything but the last step; of {@link Kind#STATE}:
 *     descriptors that follow
 * @param text of {@link Kind#REFUSED}: why; of {@link Kind#ASK}: what it says of its interfaces; of
 *     {@link Kind#STOPPED}: what it says of its devices
 * @param descriptors of {@link Kind#STATE} the snapshot's, of {@link Kind#DESCRIPTORS} the next
 *     ones
 */
record Message(Kind kind, long first, long second, String text, List<Descriptor> descriptors) {
  /** Octets of a message at the most. */
  static final int OCTETS = 1 << 16;

  /** "rddprepl" and the version of these messages. */
  private static final long MAGIC = 0x7264647072657001L;

  private static final int HEADER = 8 + 4 + 8 + 8 + 4;

  /** Which message it is, with its number. */
  enum Kind {
    /** From the new daemon: it wants to take the place of the other. */
    ASK(1),
    /** From the old one: get ready. */
    GRANTED(2),
    /** From the new one: it is ready to adopt. */
    PREPARED(3),
    /** From the old one: its engines stand still from now on, and others may have its devices. */
    STOPPED(11),
    /** From the old one, whose engines stand still: the snapshot. */
    STATE(4),
    /** From the old one: some descriptors. */
    DESCRIPTORS(5),
    /** From the new one: it wants the next descriptors. */
    NEXT(6),
    /** From the new one: it has read everything. */
    ADOPTED(7),
    /** From the old one: the new one begins, and the old one never goes on. */
    GO(8),
    /** From the old one, in place of GO: it goes on, since this was a trial. */
    CHECKED(9),
    /** From either: it does not go on with this, and the old one goes on. */
    REFUSED(10);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    boolean hasDescriptors() {
      return this == STATE || this == DESCRIPTORS;
    }

    static Kind of(int code) throws ReplacementException {
      for (Kind each : values()) {
        if (each.code == code) {
          return each;
        }
      }
      throw new ReplacementException("the other daemon says something unknown: " + code);
    }
  }

  static Message of(Kind kind) {
    return new Message(kind, 0, 0, "", List.of());
  }

  static Message of(Kind kind, long first, long second) {
    return new Message(kind, first, second, "", List.of());
  }

  static Message of(Kind kind, String text) {
    return new Message(kind, 0, 0, text, List.of());
  }

  byte[] encode() {
    byte[] said = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(said.length, OCTETS - HEADER);
    return ByteBuffer.allocate(HEADER + length)
        .putLong(MAGIC)
        .putInt(kind.code)
        .putLong(first)
        .putLong(second)
        .putInt(length)
        .put(said, 0, length)
        .array();
  }

  static Message decode(byte[] octets, List<Descriptor> descriptors) throws ReplacementException {
    ByteBuffer from = ByteBuffer.wrap(octets);
    try {
      if (from.getLong() != MAGIC) {
        throw new ReplacementException("the other daemon is of a version that says it otherwise");
      }
      Kind kind = Kind.of(from.getInt());
      long first = from.getLong();
      long second = from.getLong();
      int length = from.getInt();
      if (length < 0 || length > from.remaining()) {
        throw new BufferUnderflowException();
      }
      byte[] said = new byte[length];
      from.get(said);
      return new Message(
          kind, first, second, new String(said, StandardCharsets.UTF_8), descriptors);
    } catch (BufferUnderflowException e) {
      throw new ReplacementException("the other daemon has sent a wrong message", e);
    }
  }
}
