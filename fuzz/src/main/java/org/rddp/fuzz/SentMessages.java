package org.rddp.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The messages in a stream of segments that we have sent, put together from their octets; each
 * segment has to follow on the one before it.
 */
final class SentMessages {
  private static final int QUEUES = 4;
  private static final int TAGGED_HEADER = 14;
  private static final int UNTAGGED_HEADER = 18;
  private static final int RESPONSE = 2;
  private static final int TERMINATE = 7;
  private static final int ATOMIC_RESPONSE = 11;

  private final List<String> answers = new ArrayList<>();
  private final List<String> requests = new ArrayList<>();
  private String terminate;
  private final int[] numbers = new int[QUEUES];
  private final ByteArrayOutputStream message = new ByteArrayOutputStream();

  SentMessages(Iterable<byte[]> segments) {
    Arrays.fill(numbers, 1);
    byte[] first = null;
    for (byte[] segment : segments) {
      Frames.require(terminate == null, "something follows on a Terminate");
      first = first == null ? segment : first;
      if (add(first, segment)) {
        end(first);
        first = null;
      }
    }
    Frames.require(first == null || terminate == null, "half a message before a Terminate");
  }

  /** Adds a segment; returns whether it is its message's last. */
  private boolean add(byte[] first, byte[] segment) {
    boolean tagged = (segment[0] & 0x80) != 0;
    Frames.require((segment[0] & 0x3f) == 1 && (segment[1] & 0xf0) == 0x40, "versions, reserved");
    Frames.require(segment[0] >> 7 == first[0] >> 7 && segment[1] == first[1], "mixed messages");
    ByteBuffer start = ByteBuffer.wrap(first);
    ByteBuffer header = ByteBuffer.wrap(segment);
    if (tagged) {
      Frames.require(header.getInt(2) == start.getInt(2), "another STag");
      Frames.require(header.getLong(6) == start.getLong(6) + message.size(), "not the next TO");
    } else {
      int qn = header.getInt(6);
      Frames.require(qn >= 0 && qn < QUEUES && header.getInt(10) == numbers[qn], "QN or MSN");
      Frames.require(header.getInt(14) == message.size(), "not the next MO");
    }
    int length = tagged ? TAGGED_HEADER : UNTAGGED_HEADER;
    message.write(segment, length, segment.length - length);
    return (segment[0] & 0x40) != 0;
  }

  private void end(byte[] first) {
    String octets = HexFormat.of().formatHex(message.toByteArray());
    message.reset();
    ByteBuffer header = ByteBuffer.wrap(first);
    int opcode = first[1] & 15;
    if ((first[0] & 0x80) == 0) {
      numbers[header.getInt(6)]++;
    }
    switch (opcode) {
      case RESPONSE -> answers.add(response(header.getInt(2), header.getLong(6), octets));
      case ATOMIC_RESPONSE -> answers.add("atomic " + octets);
      case TERMINATE -> terminate = octets;
      default -> requests.add(opcode + " " + octets);
    }
  }

  /** The words for an RDMA Read Response. */
  static String response(int stag, long to, String octets) {
    return "read %08x %016x %s".formatted(stag, to, octets);
  }

  /** Responses to the peer's reads and atomics, in order. */
  List<String> answers() {
    return answers;
  }

  /** Everything that was posted, in order: opcode and octets. */
  List<String> requests() {
    return requests;
  }

  /** Layer, type and code of the Terminate in hexadecimal; null if none was sent. */
  String terminate() {
    return terminate;
  }
}
