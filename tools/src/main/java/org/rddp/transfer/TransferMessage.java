package org.rddp.transfer;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A message between the two ends of a file transfer: one octet for its kind, then fields. */
sealed interface TransferMessage {
  /** The client will write a file into the server's window. */
  record Put(String name, long octets) implements TransferMessage {}

  /** The server is to write a file into the client's window. */
  record Get(String name, int stag, long to, long window) implements TransferMessage {}

  /** The server accepts: the window of a put, or the length of the file of a get. */
  record Accepted(int stag, long to, long window, long octets) implements TransferMessage {}

  /** A part of the window has been written. */
  record Filled(int part, int octets) implements TransferMessage {}

  /** A part of the window is free again. */
  record Drained(int part) implements TransferMessage {}

  /** The whole file has been written; its SHA-256. */
  record End(String digest) implements TransferMessage {}

  /** The SHA-256 of a complete file, or the reason for a failure. */
  record Result(boolean good, String text) implements TransferMessage {}

  /** Encodes the message. */
  default byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(MessageChannel.LONGEST);
    switch (this) {
      case Put put -> text(out.put((byte) 1).putLong(put.octets), put.name);
      case Get get ->
          text(out.put((byte) 2).putInt(get.stag).putLong(get.to).putLong(get.window), get.name);
      case Accepted go ->
          out.put((byte) 3).putInt(go.stag).putLong(go.to).putLong(go.window).putLong(go.octets);
      case Filled filled -> out.put((byte) 4).putInt(filled.part).putInt(filled.octets);
      case Drained drained -> out.put((byte) 5).putInt(drained.part);
      case End end -> out.put((byte) 6).put(HexFormat.of().parseHex(end.digest));
      case Result result -> text(out.put((byte) 7).put((byte) (result.good ? 1 : 0)), result.text);
    }
    byte[] octets = new byte[out.position()];
    out.flip().get(octets);
    return octets;
  }

  private static void text(ByteBuffer out, String text) {
    byte[] octets = text.getBytes(StandardCharsets.UTF_8);
    if (octets.length > out.remaining()) {
      throw new IllegalArgumentException("too long: " + text);
    }
    out.put(octets);
  }

  /**
   * Decodes a message.
   *
   * @throws IllegalStateException when the octets are no message
   */
  static TransferMessage decode(byte[] octets) {
    ByteBuffer in = ByteBuffer.wrap(octets);
    try {
      return switch (in.get()) {
        case 1 -> {
          long size = in.getLong();
          yield new Put(text(in), size);
        }
        case 2 -> {
          int stag = in.getInt();
          long to = in.getLong();
          long window = in.getLong();
          yield new Get(text(in), stag, to, window);
        }
        case 3 -> new Accepted(in.getInt(), in.getLong(), in.getLong(), in.getLong());
        case 4 -> new Filled(in.getInt(), in.getInt());
        case 5 -> new Drained(in.getInt());
        case 6 -> {
          byte[] digest = new byte[in.remaining()];
          in.get(digest);
          yield new End(HexFormat.of().formatHex(digest));
        }
        case 7 -> {
          boolean good = in.get() == 1;
          yield new Result(good, text(in));
        }
        default -> throw new IllegalStateException("the peer speaks another protocol");
      };
    } catch (BufferUnderflowException e) {
      throw new IllegalStateException("the peer sent a message that is too short", e);
    }
  }

  private static String text(ByteBuffer in) {
    return StandardCharsets.UTF_8.decode(in).toString();
  }
}
