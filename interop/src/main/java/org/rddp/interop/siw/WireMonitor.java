package org.rddp.interop.siw;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/**
 * Sees what crosses a link: MPA's startup, Terminates, and empty RDMA Writes; and spoils one
 * segment when told to, so that all but what was spoiled is right, checksums included.
 *
 * <p>Knows only FPDUs that lie whole in a segment which begins with one, as short ones do. Told by
 * one thread what to do, and by another what comes.
 */
final class WireMonitor {
  /** Which way a frame goes. */
  enum Direction {
    TO_SIW,
    TO_RDDP;

    Direction reverse() {
      return this == TO_SIW ? TO_RDDP : TO_SIW;
    }
  }

  private static final long MPA_ID = 0x4d50412049442052L;
  private static final int STARTUP_HEADER = 20;
  private static final int PRIVATE_DATA_LENGTH = 18;
  private static final int RDMAP_CONTROL = 3;
  private static final int OPCODE = 0x0f;
  private static final int WRITE = 0;
  private static final int TERMINATE = 7;
  private static final int LENGTH = 2;
  private static final int CRC = 4;
  private static final int SHORTEST_ULPDU = 14;
  private static final int UNTAGGED_HEADER = 18;
  private static final int ADDRESSES = 12;
  private static final int LONG = 1000;

  private final Map<Direction, String> startups = new EnumMap<>(Direction.class);
  private final Map<Direction, String> terminates = new EnumMap<>(Direction.class);
  private final Map<Direction, Set<Integer>> emptyWrites = new EnumMap<>(Direction.class);
  private int longFrames;
  private SegmentError spoil;
  private Direction spoiledWay;
  private boolean spoiled;

  /** Forgets what it has seen, and spoils nothing. */
  synchronized void reset() {
    startups.clear();
    terminates.clear();
    emptyWrites.clear();
    longFrames = 0;
    spoil = null;
    spoiled = false;
  }

  /** Spoils the next FPDU that this can be done to. */
  synchronized void corruptNext(SegmentError how, Direction way) {
    spoil = how;
    spoiledWay = way;
  }

  /** Whether one has been spoiled. */
  synchronized boolean hasCorrupted() {
    return spoiled;
  }

  /** The last startup frame that went this way, in hexadecimal from the flags on; or nothing. */
  synchronized String startup(Direction way) {
    return startups.getOrDefault(way, "");
  }

  /** The last Terminate that went this way, in hexadecimal, without DDP's header; or nothing. */
  synchronized String terminate(Direction way) {
    return terminates.getOrDefault(way, "");
  }

  /** RDMA Writes of no octets that went this way, however often each was sent. */
  synchronized int emptyWrites(Direction way) {
    return emptyWrites.getOrDefault(way, Set.of()).size();
  }

  /** Frames of at least 1000 octets, either way. */
  synchronized int longFrames() {
    return longFrames;
  }

  /** A frame crosses; nobody else has it at the moment. */
  synchronized void onFrame(Direction way, long frame, int length) {
    longFrames += length >= LONG ? 1 : 0;
    long ip = frame + Ethernet.HEADER;
    if (Ethernet.type(frame) != Ethernet.TYPE_IPV4
        || !Ipv4.wellFormed(ip, length - Ethernet.HEADER)
        || Ipv4.protocol(ip) != Ipv4.PROTOCOL_TCP) {
      return;
    }
    long tcp = ip + Ipv4.headerLength(ip);
    int segment = Ipv4.totalLength(ip) - Ipv4.headerLength(ip);
    long payload = tcp + Tcp.headerLength(tcp);
    int octets = segment - Tcp.headerLength(tcp);
    if (octets >= STARTUP_HEADER && Memory.getLong(payload) == MPA_ID) {
      int end = STARTUP_HEADER + Memory.getShort(payload + PRIVATE_DATA_LENGTH);
      startups.put(way, hex(payload + Long.BYTES * 2, Math.min(end, octets) - Long.BYTES * 2));
    } else if (onFpdus(way, Tcp.sequence(tcp), payload, octets)) {
      long sum =
          (long) Checksum.sum(ip + ADDRESSES, 2 * Integer.BYTES) + Ipv4.PROTOCOL_TCP + segment;
      Tcp.putPartialChecksum(tcp, 0);
      Tcp.putChecksum(tcp, sum + Checksum.sum(tcp, segment));
    }
  }

  /** Returns whether something has been changed. */
  private boolean onFpdus(Direction way, int sequence, long payload, int octets) {
    boolean changed = false;
    int at = 0;
    while (octets - at >= LENGTH + SHORTEST_ULPDU + CRC) {
      int ulpdu = Memory.getShort(payload + at);
      int whole = (LENGTH + ulpdu + 3 & ~3) + CRC;
      if (ulpdu < SHORTEST_ULPDU || whole > octets - at) {
        break;
      }
      changed |= onFpdu(way, sequence + at, payload + at, ulpdu, whole);
      at += whole;
    }
    return changed;
  }

  private boolean onFpdu(Direction way, int sequence, long fpdu, int ulpdu, int octets) {
    int opcode = Memory.getByte(fpdu + RDMAP_CONTROL) & OPCODE;
    if (opcode == TERMINATE) {
      int header = LENGTH + UNTAGGED_HEADER;
      terminates.put(way, hex(fpdu + header, LENGTH + ulpdu - header));
    } else if (opcode == WRITE && ulpdu == SHORTEST_ULPDU) {
      emptyWrites.computeIfAbsent(way, each -> new HashSet<>()).add(sequence);
    }
    if (spoil == null || spoiledWay != way || spoil.opcode() != opcode) {
      return false;
    }
    if (spoil.apply(fpdu, octets)) {
      CRC32C crc = new CRC32C();
      crc.update(octets(fpdu, octets - CRC));
      Memory.putInt(fpdu + octets - CRC, Integer.reverseBytes((int) crc.getValue()));
    }
    spoil = null;
    spoiled = true;
    return true;
  }

  private static byte[] octets(long address, int count) {
    return MemorySegment.ofAddress(address).reinterpret(count).toArray(ValueLayout.JAVA_BYTE);
  }

  private static String hex(long address, int count) {
    return HexFormat.of().formatHex(octets(address, count));
  }
}
