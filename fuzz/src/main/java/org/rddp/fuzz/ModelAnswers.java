package org.rddp.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Answers to the peer's Reads and atomics, and the results of atomics (RFC 7306 section 5.1). */
final class ModelAnswers {
  private static final int UNTAGGED_HEADER = 18;

  private final ModelMemory memory;
  private final List<String> answers = new ArrayList<>();

  ModelAnswers(ModelMemory memory) {
    this.memory = memory;
  }

  /** Every answer, in order. */
  List<String> all() {
    return answers;
  }

  /**
   * Answers a request whose turn it is.
   *
   * @return what is wrong with it, or null
   */
  String answer(byte[] segment) {
    ByteBuffer request =
        ByteBuffer.wrap(segment, UNTAGGED_HEADER, segment.length - UNTAGGED_HEADER).slice();
    if ((segment[1] & 15) == 10) {
      return answerAtomic(request);
    }
    int size = request.getInt(12);
    String octets = "";
    if (size != 0) {
      ModelRegion source = memory.named(request.getInt(16));
      if (source == null) {
        return "0/1/0";
      }
      int at = source.at(request.getLong(20));
      octets = HexFormat.of().formatHex(memory.octets, at, at + size);
    }
    answers.add(SentMessages.response(request.getInt(0), request.getLong(4), octets));
    return null;
  }

  private String answerAtomic(ByteBuffer request) {
    int stag = request.getInt(8);
    long to = request.getLong(12);
    int operation = request.getInt(0) & 15;
    String error =
        memory.access(
            stag, to, Long.BYTES, ModelRegion.REMOTE_ATOMIC, "0/1/0 0/1/3 0/1/2 0/1/4 0/1/1");
    if (error == null && operation != 0 && operation != 2) {
      error = "0/2/6";
    } else if (error == null && memory.named(stag).at(to) % Long.BYTES != 0) {
      error = "0/2/7";
    }
    if (error != null) {
      return error;
    }
    ByteBuffer cell = ByteBuffer.wrap(memory.octets).order(ByteOrder.nativeOrder());
    int at = memory.named(stag).at(to);
    long before = cell.getLong(at);
    cell.putLong(at, operation == 0 ? added(before, request) : swapped(before, request));
    answers.add("atomic %08x%016x".formatted(request.getInt(4), before));
    return null;
  }

  /** Bit by bit, as the RFC writes it down. */
  private static long added(long before, ByteBuffer request) {
    long data = request.getLong(20);
    long mask = request.getLong(28);
    long result = 0;
    long carry = 0;
    for (int bit = 0; bit < Long.SIZE; bit++) {
      long sum = (before >>> bit & 1) + (data >>> bit & 1) + carry;
      result |= (sum & 1) << bit;
      carry = (mask >>> bit & 1) == 1 ? 0 : sum >>> 1;
    }
    return result;
  }

  private static long swapped(long before, ByteBuffer request) {
    long mask = request.getLong(28);
    boolean equal = ((before ^ request.getLong(36)) & request.getLong(44)) == 0;
    return equal ? (before & ~mask) | (request.getLong(20) & mask) : before;
  }
}
