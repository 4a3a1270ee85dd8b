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
 * Records MPA startup frames, Terminates and empty RDMA Writes on a link, and corrupts one segment
 * on request, with correct checksums.
 *
 * <p>Sees only FPDUs that are whole in a segment that begins with an FPDU, as short ones are. One
 * thread calls {@link #onFrame}, another the other methods.
 */
final class WireMonitor {
  /** Direction of a frame. */
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
  private SegmentError error;
  private Direction corruptedDirection;
  private boolean corrupted;

  /** Forgets all records, and corrupts nothing. */
  synchronized void reset() {
    startups.clear();
    terminates.clear();
    emptyWrites.clear();
    longFrames = 0;
    error = null;
    corrupted = false;
  }

  /** Corrupts the next FPDU to which the error applies. */
  synchronized void corruptNext(SegmentError how, Direction direction) {
    error = how;
    corruptedDirection = direction;
  }

  /** Whether an FPDU has been corrupted. */
  synchronized boolean hasCorrupted() {
    return corrupted;
  }

  /** The last startup frame in a direction, in hexadecimal from the flags on, or an empty text. */
  synchronized String startup(Direction direction) {
    return startups.getOrDefault(direction, "");
  }

  /** The last Terminate in a direction, in hexadecimal without DDP's header, or an empty text. */
  synchronized String terminate(Direction direction) {
    return terminates.getOrDefault(direction, "");
  }

  /** RDMA Writes of no octets in a direction, retransmissions not counted. */
  synchronized int emptyWrites(Direction direction) {
    return emptyWrites.getOrDefault(direction, Set.of()).size();
  }

  /** Frames of at least 1000 octets in both directions. */
  synchronized int longFrames() {
    return longFrames;
  }

  /** Handles a frame, to which this thread has exclusive access. */
  synchronized void onFrame(Direction direction, long frame, int length) {
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
      startups.put(
          direction, hex(payload + Long.BYTES * 2, Math.min(end, octets) - Long.BYTES * 2));
    } else if (onFpdus(direction, Tcp.sequence(tcp), payload, octets)) {
      long sum =
          (long) Checksum.sum(ip + ADDRESSES, 2 * Integer.BYTES) + Ipv4.PROTOCOL_TCP + segment;
      Tcp.putPartialChecksum(tcp, 0);
      Tcp.putChecksum(tcp, sum + Checksum.sum(tcp, segment));
    }
  }

  /** Returns whether an FPDU has been changed. */
  private boolean onFpdus(Direction direction, int sequence, long payload, int octets) {
    boolean changed = false;
    int at = 0;
    while (octets - at >= LENGTH + SHORTEST_ULPDU + CRC) {
      int ulpdu = Memory.getShort(payload + at);
      int whole = (LENGTH + ulpdu + 3 & ~3) + CRC;
      if (ulpdu < SHORTEST_ULPDU || whole > octets - at) {
        break;
      }
      changed |= onFpdu(direction, sequence + at, payload + at, ulpdu, whole);
      at += whole;
    }
    return changed;
  }

  private boolean onFpdu(Direction direction, int sequence, long fpdu, int ulpdu, int octets) {
    int opcode = Memory.getByte(fpdu + RDMAP_CONTROL) & OPCODE;
    if (opcode == TERMINATE) {
      int header = LENGTH + UNTAGGED_HEADER;
      terminates.put(direction, hex(fpdu + header, LENGTH + ulpdu - header));
    } else if (opcode == WRITE && ulpdu == SHORTEST_ULPDU) {
      emptyWrites.computeIfAbsent(direction, each -> new HashSet<>()).add(sequence);
    }
    if (error == null || corruptedDirection != direction || error.opcode() != opcode) {
      return false;
    }
    if (error.apply(fpdu, octets)) {
      CRC32C crc = new CRC32C();
      crc.update(octets(fpdu, octets - CRC));
      Memory.putInt(fpdu + octets - CRC, Integer.reverseBytes((int) crc.getValue()));
    }
    error = null;
    corrupted = true;
    return true;
  }

  private static byte[] octets(long address, int count) {
    return MemorySegment.ofAddress(address).reinterpret(count).toArray(ValueLayout.JAVA_BYTE);
  }

  private static String hex(long address, int count) {
    return HexFormat.of().formatHex(octets(address, count));
  }
}
