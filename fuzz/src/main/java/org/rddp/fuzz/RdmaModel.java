package org.rddp.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * A model of a stream that takes a peer's segments in order: its memory, its upcalls, its answers
 * and its errors (RFC 5040, 5041 and 7306). It uses no code of the engine.
 */
final class RdmaModel {
  private static final int TAGGED_HEADER = 14;
  private static final int UNTAGGED_HEADER = 18;
  private static final int READ_REQUEST = 28;
  private static final int ATOMIC_REQUEST = 52;
  private static final int ATOMIC_RESPONSE = 12;
  private static final int LONGEST_TERMINATE = 52;
  private static final int LEAST_HELD = 14;

  /** Which queue each opcode goes to; -1 for tagged ones and for those that do not exist. */
  private static final int[] QUEUES = {-1, 1, -1, 0, 0, 0, 0, 2, 0, 0, 1, 3, -1, -1, -1, -1};

  private final int depth;
  private final int ird;
  private final int ord;
  private final int heldOctets;
  final ModelMemory memory;
  final ModelAnswers answers;
  final List<String> heard = new ArrayList<>();

  /** Our Reads and atomics, and how many of them the peer has. */
  final List<PendingRequest> asked = new ArrayList<>();

  int started;

  /** Every one that the peer has got, in order. */
  int startedInAll;

  private final List<ModelBuffer> receives = new ArrayList<>();

  /** All receives, also those that have ended. */
  private final List<ModelBuffer> everPosted = new ArrayList<>();

  private final Queue<byte[]> requests = new ArrayDeque<>();
  private final Queue<byte[]> held = new ArrayDeque<>();

  /** Octets held, without the segment that was held first. */
  private int heldNow;

  private boolean firstUncounted;
  private int firstMsn = 1;
  private int requestMsn = 1;
  private int responseMsn = 1;

  /** Layer, type and code of the expected Terminate in hexadecimal; null if none is expected. */
  String terminate;

  boolean dead;

  RdmaModel(ModelMemory memory, int depth, int ird, int ord, int heldOctets) {
    this.memory = memory;
    answers = new ModelAnswers(memory);
    this.depth = depth;
    this.ird = ird;
    this.ord = ord;
    this.heldOctets = heldOctets;
  }

  // ---- What the program does ----

  /** Posts a receive, if there is room, and takes what has waited for it. */
  boolean receive(ModelBuffer buffer) {
    if (receives.size() == depth) {
      return false;
    }
    receives.add(buffer);
    everPosted.add(buffer);
    boolean taken = true;
    while (taken && !held.isEmpty() && !dead) {
      byte[] first = held.peek();
      taken = takeNow(first);
      if (taken && !dead) {
        held.remove();
        heldNow -= firstUncounted ? 0 : size(first);
        firstUncounted = false;
      }
    }
    return true;
  }

  /** MSN of the next Send that fits, as the peer sees it. */
  int nextMsn(int qn) {
    return switch (qn) {
      case 0 -> firstMsn;
      case 1 -> requestMsn;
      case 3 -> responseMsn;
      default -> 1;
    };
  }

  /** The first request of ours that the peer has; null if there is none. */
  PendingRequest awaited() {
    return started == 0 ? null : asked.getFirst();
  }

  /** Sends everything due: our requests, and answers to the peer's. */
  void turn() {
    int most = Math.min(ord, asked.size());
    while (!requests.isEmpty() && !dead) {
      byte[] request = requests.remove();
      String error = answers.answer(request);
      if (error != null) {
        boolean atomic = (request[1] & 15) == 10;
        fail(error, request, atomic ? 0 : READ_REQUEST);
      }
    }
    if (!dead) {
      startedInAll += most - started;
      started = most;
    }
  }

  // ---- What the peer sends ----

  /** The next segment. */
  void take(byte[] segment) {
    if (dead) {
      return;
    }
    if (!held.isEmpty() || !takeNow(segment)) {
      if (held.isEmpty() ? heldOctets == 0 : heldNow + size(segment) > heldOctets) {
        fail("1/2/2", segment);
      } else {
        firstUncounted |= held.isEmpty();
        heldNow += held.isEmpty() ? 0 : size(segment);
        held.add(segment);
      }
    }
  }

  private static int size(byte[] segment) {
    return Math.max(segment.length, LEAST_HELD);
  }

  /** Returns whether it need not wait for a receive. */
  private boolean takeNow(byte[] segment) {
    if (segment.length == 0) {
      fail("1/0/0", segment);
      return true;
    }
    boolean tagged = segment[0] < 0;
    if ((segment[0] & 3) != 1) {
      fail(tagged ? "1/1/4" : "1/2/6", segment);
    } else if (segment.length < (tagged ? TAGGED_HEADER : UNTAGGED_HEADER)) {
      fail("1/0/0", segment);
    } else if (tagged) {
      takeTagged(segment);
    } else {
      return takeUntagged(segment);
    }
    return true;
  }

  private void takeTagged(byte[] segment) {
    ByteBuffer header = ByteBuffer.wrap(segment);
    int stag = header.getInt(2);
    long to = header.getLong(6);
    int octets = segment.length - TAGGED_HEADER;
    boolean last = (segment[0] & 0x40) != 0;
    int opcode = segment[1] & 15;
    String error = null;
    if ((segment[1] & 0xc0) != 0x40) {
      error = "0/2/5";
    } else if (opcode == 2) {
      error = answers(stag, to, octets, last);
    } else if (opcode != 0) {
      error = "0/2/6";
    }
    if (error == null && octets > 0) {
      int right = opcode == 0 ? ModelRegion.REMOTE_WRITE : ModelRegion.LOCAL_WRITE;
      error = memory.access(stag, to, octets, right, "1/1/0 1/1/2 1/1/0 1/1/3 1/1/1");
    }
    if (error != null) {
      fail(error, segment);
      return;
    }
    if (octets > 0) {
      memory.place(segment, TAGGED_HEADER, memory.named(stag), to);
    }
    if (last && opcode == 2) {
      PendingRequest read = asked.removeFirst();
      started--;
      heard.add("read " + read.id + " " + read.length);
    }
  }

  private String answers(int stag, long to, int octets, boolean last) {
    PendingRequest read = awaited();
    if (read == null || read.atomic) {
      return "0/2/6";
    }
    if (octets > 0 && (stag != read.name || to != read.next || octets > read.left)) {
      return "0/2/255";
    }
    if (last && octets < read.left) {
      return "0/2/255";
    }
    read.next += octets;
    read.left -= octets;
    return null;
  }

  private boolean takeUntagged(byte[] segment) {
    ByteBuffer header = ByteBuffer.wrap(segment);
    int qn = header.getInt(6);
    int msn = header.getInt(10);
    int queue = QUEUES[segment[1] & 15];
    if ((segment[1] & 0xc0) != 0x40) {
      fail("0/2/5", segment);
    } else if (queue < 0 || (queue != qn && qn >= 0 && qn <= 3)) {
      fail("0/2/6", segment);
    } else if (queue != qn) {
      fail("1/2/1", segment);
    } else if (qn > 0) {
      takeShort(segment, qn, msn, header.getInt(14));
    } else if (heldOctets > 0 && msn - firstMsn == receives.size() && receives.size() < depth) {
      return false;
    } else {
      takeSend(segment, msn, Integer.toUnsignedLong(header.getInt(14)));
    }
    return true;
  }

  private void takeSend(byte[] segment, int msn, long mo) {
    int ahead = msn - firstMsn;
    if (ahead < 0 || ahead >= receives.size()) {
      fail(ahead < 0 ? "1/2/3" : "1/2/2", segment);
      return;
    }
    ModelBuffer buffer = receives.get(ahead);
    int octets = segment.length - UNTAGGED_HEADER;
    boolean last = (segment[0] & 0x40) != 0;
    boolean whole = isWholeImmediateData(segment);
    String error = buffer.place(mo, octets, last, whole);
    if (error != null) {
      fail(error, segment);
      return;
    }
    if (octets > 0 && !whole) {
      System.arraycopy(segment, UNTAGGED_HEADER, memory.octets, buffer.offset + (int) mo, octets);
    }
    buffer.last = last ? segment : null;
    while (!dead && !receives.isEmpty() && receives.getFirst().last != null) {
      firstMsn++;
      deliver(receives.removeFirst());
    }
  }

  /** Whether a segment is Immediate Data in one piece, which leaves the receive's memory alone. */
  private static boolean isWholeImmediateData(byte[] segment) {
    return (segment[1] & 15) >= 8
        && (segment[0] & 0x40) != 0
        && ByteBuffer.wrap(segment).getInt(14) == 0
        && segment.length == UNTAGGED_HEADER + Long.BYTES;
  }

  private void deliver(ModelBuffer buffer) {
    int opcode = buffer.last[1] & 15;
    int stag = ByteBuffer.wrap(buffer.last).getInt(2);
    boolean solicited = opcode == 5 || opcode == 6;
    if (opcode >= 8) {
      if (buffer.octets() != Long.BYTES) {
        fail("0/2/255", buffer.last);
        return;
      }
      long data =
          isWholeImmediateData(buffer.last)
              ? ByteBuffer.wrap(buffer.last).getLong(UNTAGGED_HEADER)
              : ByteBuffer.wrap(memory.octets).getLong(buffer.offset);
      heard.add("immediate " + buffer.id + " " + data + " " + (opcode == 9));
    } else if (opcode == 4 || opcode == 6) {
      ModelRegion found = memory.named(stag);
      if (found == null || !found.mayBeInvalidated()) {
        fail("0/1/9", buffer.last);
        return;
      }
      found.valid = false;
      heard.add("received " + buffer.id + " " + buffer.octets() + " " + solicited + " " + stag);
    } else {
      heard.add("received " + buffer.id + " " + buffer.octets() + " " + solicited + " 0");
    }
  }

  // ---- Messages for RDMAP itself ----

  private void takeShort(byte[] segment, int qn, int msn, int mo) {
    int octets = segment.length - UNTAGGED_HEADER;
    boolean last = (segment[0] & 0x40) != 0;
    int places = qn == 1 ? 2 * ird - requests.size() : qn == 2 ? 1 : ord;
    int longest = qn == 3 ? ATOMIC_RESPONSE : qn == 2 ? LONGEST_TERMINATE : ATOMIC_REQUEST;
    int ahead = msn - nextMsn(qn);
    String error = null;
    if (ahead < 0) {
      error = "1/2/3";
    } else if (ahead >= places) {
      error = "1/2/2";
    } else if (ahead > 0) {
      error = "1/2/3";
    } else if (octets > longest) {
      error = "1/2/5";
    } else if (!last || (mo != 0 && octets > 0)) {
      error = "1/2/4";
    }
    if (error != null) {
      fail(error, segment);
    } else if (qn == 1) {
      requestMsn++;
      takeRequest(segment, octets);
    } else if (qn == 2) {
      takeTerminate(segment);
    } else {
      responseMsn++;
      takeAtomicResponse(segment, octets);
    }
  }

  private static boolean isAtomic(byte[] request) {
    return (request[1] & 15) == 10;
  }

  private void takeRequest(byte[] segment, int octets) {
    boolean atomic = isAtomic(segment);
    if (requests.stream().filter(other -> isAtomic(other) == atomic).count() == ird) {
      fail("1/2/2", segment);
      return;
    }
    if (octets != (atomic ? ATOMIC_REQUEST : READ_REQUEST)) {
      fail("0/2/255", segment);
      return;
    }
    ByteBuffer request = ByteBuffer.wrap(segment, UNTAGGED_HEADER, octets).slice();
    if (!atomic) {
      int stag = request.getInt(16);
      long size = Integer.toUnsignedLong(request.getInt(12));
      String error =
          size == 0
              ? null
              : memory.access(
                  stag,
                  request.getLong(20),
                  size,
                  ModelRegion.REMOTE_READ,
                  "0/1/0 0/1/3 0/1/2 0/1/4 0/1/1");
      if (error != null) {
        fail(error, segment, octets);
        return;
      }
    }
    requests.add(segment);
  }

  private void takeAtomicResponse(byte[] segment, int octets) {
    PendingRequest atomic = awaited();
    ByteBuffer response = ByteBuffer.wrap(segment, UNTAGGED_HEADER, octets).slice();
    if (atomic == null || !atomic.atomic) {
      fail("0/2/6", segment);
    } else if (octets != ATOMIC_RESPONSE || response.getInt(0) != atomic.name) {
      fail("0/2/255", segment);
    } else {
      long value = response.getLong(4);
      ByteBuffer.wrap(memory.octets)
          .order(ByteOrder.nativeOrder())
          .putLong((int) atomic.next, value);
      asked.removeFirst();
      started--;
      heard.add("done " + atomic.id + " 8");
    }
  }

  private void takeTerminate(byte[] segment) {
    if (!ModelTerminate.isWhole(segment, UNTAGGED_HEADER)) {
      fail("0/2/255", segment);
      return;
    }
    end(ModelTerminate.read(segment, UNTAGGED_HEADER));
  }

  // ---- The end ----

  private void end(String error) {
    dead = true;
    heard.add("error " + error);
    held.clear();
  }

  private void fail(String error, byte[] segment) {
    fail(error, segment, 0);
  }

  /**
   * Fails over an error in a segment; the Terminate has its header if it is whole, and {@code
   * request} octets behind it.
   */
  private void fail(String error, byte[] segment, int request) {
    end(error);
    terminate = ModelTerminate.of(error, segment, request);
  }

  /** Whether an octet lies where payload may have been placed before its turn. */
  boolean mayHaveBeenPlaced(int at) {
    return memory.mayHaveBeenPlaced(at)
        || everPosted.stream()
            .anyMatch(each -> at >= each.offset && at < each.offset + each.length);
  }
}
