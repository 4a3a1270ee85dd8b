package org.rddp.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.rddp.device.NativePacketPool;
import org.rddp.fuzz.FuzzedUlpdus.Answer;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

/**
 * The segments of a peer in Full Operation: right and wrong FPDUs, and any octets, in any
 * segmentation and order.
 *
 * <p>An input is two octets of settings and a list of operations: FPDUs with right CRCs and Markers
 * except where an operation changes them, and the segmentation of the stream. At the end all octets
 * have arrived, and MPA must have passed the same ULPDUs as a reader that goes octet by octet.
 */
public final class MpaFuzz {
  private static final int PACKETS = 2048;
  private static final int ROOM = 2304;
  private static final int START = 20;
  private static final int LONGEST_SEGMENT = 2048;
  private static final int LONGEST_STREAM = 10_000;
  private static final int MOST_PIECES = 300;

  /**
   * Packets that an FPDU of 65535 octets may take if, of any two in a row, one is at least half
   * full.
   */
  private static final int FOR_ONE_FPDU = 64;

  private static final byte[] OURS = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  private static final long SCRATCH = Memory.allocate(64);
  private static final NativePacketPool POOL = new NativePacketPool(PACKETS, ROOM);

  private final FuzzInput input;
  private final boolean crc;
  private final boolean markers;
  private final boolean early;
  private final boolean initiator;
  private final boolean peersMarkers;
  private final boolean waits;
  private final FuzzedUlpdus user = new FuzzedUlpdus(Answer.ACCEPT, new byte[0]);
  private final InMemoryTcpStream stream;
  private final FpduStream fpdus;
  private final FpduStream ours;

  /** Where each segment begins in the stream, how long it is, and whether it is held back. */
  private final List<int[]> segments = new ArrayList<>();

  private int cut;
  private byte[] octets = {};

  private MpaFuzz(FuzzInput input) {
    this.input = input;
    int choices = input.octet();
    int more = input.octet();
    crc = (choices & 1) == 0;
    markers = (choices & 2) != 0;
    early = (choices & 4) != 0;
    initiator = (choices & 16) != 0;
    peersMarkers = (choices & 32) != 0;
    waits = (choices & 64) != 0;
    user.declines = more & 3;
    MpaSettings settings =
        MpaSettings.DEFAULTS
            .withCrc(crc)
            .withMarkers(markers)
            .withEarly(early)
            .withSilentDrop((choices & 8) != 0)
            .withPacking((choices & 128) != 0);
    MpaStartup startup =
        initiator
            ? MpaStartup.initiator(settings, new byte[0], user, user)
            : MpaStartup.responder(settings, user, user);
    stream = new InMemoryTcpStream(POOL, 1460, more);
    stream.open(startup);
    fpdus = new FpduStream(markers);
    ours = new FpduStream(peersMarkers);
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    new MpaFuzz(new FuzzInput(octets)).run();
  }

  private void run() {
    begin();
    while (!input.exhausted() && fpdus.length() < LONGEST_STREAM) {
      operate(input.octet());
    }
    octets = fpdus.octets();
    deliver();
    compare();
    send();
    finish();
  }

  /** The startup frames, and an Initiator's first FPDU, before which neither end may send. */
  private void begin() {
    byte[] frame = new byte[START];
    String key = initiator ? "MPA ID Rep Frame" : "MPA ID Req Frame";
    System.arraycopy(key.getBytes(StandardCharsets.US_ASCII), 0, frame, 0, key.length());
    frame[16] = (byte) ((peersMarkers ? 0x80 : 0) | (crc ? 0x40 : 0));
    frame[17] = 1;
    stream.offer(frame, 0, 0, START);
    Frames.require(user.operating(), "no Full Operation");
    if (initiator) {
      sendOne();
    }
  }

  private void operate(int operation) {
    switch (operation & 7) {
      case 0 -> right(filled(operation >>> 3));
      case 1 -> right(filled(input.octet() << 3));
      case 2 -> right(filled(input.unsignedShort() % 3000));
      case 3 -> right(taken(operation >>> 3));
      case 4 -> {
        byte[] ulpdu = filled(input.octet());
        int length = ulpdu.length + (byte) (operation & 0xf8);
        fpdus.fpdu(ulpdu, length & 0xffff, 0, 0);
      }
      case 5 -> {
        byte[] ulpdu = filled(input.octet() << 2);
        int pointer = (operation & 8) == 0 ? 0 : input.signedOctet();
        fpdus.fpdu(ulpdu, ulpdu.length, pointer, (operation & 16) == 0 ? 0 : input.octet());
      }
      case 6 -> {
        for (byte octet : taken(operation >>> 3)) {
          fpdus.raw(octet);
        }
      }
      default -> cut(1 + (operation >>> 4) * 16 + input.octet() % 16, (operation & 8) != 0);
    }
  }

  private void right(byte[] ulpdu) {
    fpdus.fpdu(ulpdu, ulpdu.length, 0, 0);
  }

  private byte[] filled(int length) {
    byte[] ulpdu = new byte[length];
    Arrays.fill(ulpdu, (byte) fpdus.length());
    return ulpdu;
  }

  private byte[] taken(int length) {
    byte[] ulpdu = new byte[length];
    for (int i = 0; i < length; i++) {
      ulpdu[i] = (byte) input.octet();
    }
    return ulpdu;
  }

  private void cut(int length, boolean held) {
    int part = Math.min(Math.min(length, LONGEST_SEGMENT), fpdus.length() - cut);
    if (part > 0) {
      segments.add(new int[] {cut, part, held ? 1 : 0});
      cut += part;
    }
  }

  /** Delivers all of the stream; what is held back comes last, from the end to the front. */
  private void deliver() {
    int rest = Math.clamp(octets.length / MOST_PIECES, LONGEST_SEGMENT / 2, LONGEST_SEGMENT);
    while (cut < octets.length) {
      cut(rest, false);
    }
    ArrayDeque<int[]> held = new ArrayDeque<>();
    for (int[] segment : segments) {
      if (segment[2] == 1) {
        held.push(segment);
      } else {
        arrive(segment);
      }
    }
    held.forEach(this::arrive);
  }

  private void arrive(int[] segment) {
    int times = 0;
    while (!stream.offer(octets, START, segment[0], segment[1])) {
      times++;
      Frames.require(times <= segment[1], "the same segment is refused for ever");
    }
    int most = stream.earlySegments() + FOR_ONE_FPDU;
    Frames.require(stream.packetsInUse() <= most, stream.packetsInUse() + " packets are kept");
    boolean gaps = stream.earlySegments() > 0;
    Frames.require(gaps || stream.unconsumed() == 0, "octets are not given back");
  }

  /** The ULPDUs and errors passed up must equal those that a second reader finds. */
  private void compare() {
    fpdus.read(crc);
    NavigableMap<Long, byte[]> passed = new TreeMap<>();
    user.passed().forEach((position, ulpdu) -> passed.put(position - START, ulpdu));
    if (early && markers && user.error() == MpaError.MARKER) {
      compareAstray(passed);
      return;
    }
    long end = fpdus.end();
    Frames.require(same(passed.headMap(end), fpdus.ulpdus()), "not what was sent is passed");
    NavigableMap<Long, byte[]> behind = passed.tailMap(end, true);
    Frames.require(behind.isEmpty() || (early && markers), "passed what does not follow");
    behind.forEach(this::holds);
    Frames.require(user.error() == fpdus.error(), user.error() + ", not " + fpdus.error());
    boolean all = fpdus.ulpdus().isEmpty() || delivered() > fpdus.ulpdus().lastKey();
    Frames.require(all || user.error() != null, "not all have had their turn");
  }

  /**
   * Compares after error 3: a wrong Marker may have led to octets that are no FPDU in the chain of
   * lengths, but look like one. Then that is the error, and nothing behind it is delivered.
   */
  private void compareAstray(NavigableMap<Long, byte[]> passed) {
    boolean whole = fpdus.error() == null && fpdus.atBoundary();
    Frames.require(!whole, "error 3 for nothing");
    passed.forEach(this::holds);
    Frames.require(
        same(passed.headMap(delivered()), fpdus.ulpdus().headMap(delivered())),
        "not what was sent has had its turn");
  }

  private long delivered() {
    return user.delivered() - START;
  }

  private void holds(long at, byte[] ulpdu) {
    Frames.require(fpdus.holds((int) at, ulpdu, crc), "passed a wrong FPDU at " + at);
  }

  private static boolean same(SortedMap<Long, byte[]> one, SortedMap<Long, byte[]> other) {
    if (!one.keySet().equals(other.keySet())) {
      return false;
    }
    for (long at : one.keySet()) {
      if (!Arrays.equals(one.get(at), other.get(at))) {
        return false;
      }
    }
    return true;
  }

  /** The outgoing half is usable, error or not; a Responder's once an FPDU has come. */
  private void send() {
    Long first = user.passed().isEmpty() ? null : user.passed().firstKey();
    boolean inTurn = first != null && first == START && fpdus.end() > 0;
    if (initiator || inTurn) {
      sendOne();
    }
    stream.endTurn();
    byte[] sent = stream.sent();
    for (int i = START; i < sent.length; i++) {
      ours.raw(sent[i]);
    }
    ours.read(crc);
    Frames.require(ours.error() == null && ours.atBoundary(), "we send what is no FPDU");
    ours.ulpdus()
        .values()
        .forEach(ulpdu -> Frames.require(Arrays.equals(ulpdu, OURS), "not our ULPDU"));
  }

  private void sendOne() {
    Memory.copy(OURS, 0, SCRATCH, OURS.length);
    boolean sent = user.mpa().send(SCRATCH, 2, SCRATCH + 2, OURS.length - 2);
    Frames.require(sent, "the outgoing half is not usable");
  }

  private void finish() {
    boolean failed = user.error() != null;
    boolean whole = fpdus.atBoundary();
    if (waits && !whole && !failed) {
      stream.fireAlarm();
      stream.fireAlarm();
      Frames.require(user.error() == MpaError.CONNECTION_LOST, "an FPDU is waited for for ever");
    } else {
      stream.peerCloses();
      Frames.require(failed || user.peerClosed() == whole, "the peer's end is misunderstood");
      Frames.require(
          failed || whole || user.error() == MpaError.CONNECTION_LOST, "half an FPDU is the end");
    }
    stream.end(CloseReason.NORMAL);
    Frames.require(user.closed(), "not told of the end");
    Frames.require(POOL.available() == PACKETS, "packets are missing");
  }
}
