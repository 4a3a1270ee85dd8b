package org.rddp.rdmap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

/**
 * The values of a DDP Segment, read by the engine's accessors, and written by what it writes with.
 *
 * @param tagged T
 * @param last L
 * @param opcode RDMAP's
 * @param stag tagged: the STag; untagged: the rest of what is RDMAP's
 * @param to tagged
 * @param qn untagged, like the next two
 * @param payload what follows the headers, in hexadecimal
 */
record CapturedSegment(
    boolean tagged,
    boolean last,
    int opcode,
    int stag,
    long to,
    int qn,
    int msn,
    int mo,
    String payload) {
  private static final int VERSION = 1;

  /** The segment in a ULPDU. */
  static CapturedSegment decode(byte[] octets) {
    // Not an automatic arena: the collector could free memory that is used by address alone.
    try (Arena arena = Arena.ofConfined()) {
      long address = arena.allocate(octets.length).address();
      Memory.copy(octets, 0, address, octets.length);
      return decode(Ulpdu.of(0, address, octets.length), octets);
    }
  }

  private static CapturedSegment decode(Ulpdu ulpdu, byte[] octets) {
    int control = DdpHeader.control(ulpdu);
    boolean tagged = DdpHeader.tagged(control);
    boolean last = DdpHeader.last(control);
    int rsvdUlp = DdpHeader.rsvdUlp(ulpdu);
    if (DdpHeader.version(control) != VERSION || RdmapHeader.version(rsvdUlp) != VERSION) {
      throw new AssertionError("a version of DDP or RDMAP is not 1");
    }
    int opcode = RdmapHeader.opcode(rsvdUlp);
    int header = tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
    String payload = HexFormat.of().formatHex(octets, header, octets.length);
    if (tagged) {
      int stag = DdpHeader.stag(ulpdu);
      long to = DdpHeader.to(ulpdu);
      return new CapturedSegment(true, last, opcode, stag, to, 0, 0, 0, payload);
    }
    int rest = DdpHeader.rsvdUlpRest(ulpdu);
    int qn = DdpHeader.qn(ulpdu);
    int msn = DdpHeader.msn(ulpdu);
    int mo = DdpHeader.mo(ulpdu);
    return new CapturedSegment(false, last, opcode, rest, 0, qn, msn, mo, payload);
  }

  /** A ULPDU that says this. */
  byte[] encode() {
    int header = tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
    byte[] octets = HexFormat.of().parseHex(payload);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(header + octets.length);
      long at = memory.address();
      int rsvdUlp = RdmapHeader.versionBits(VERSION) | opcode;
      if (tagged) {
        DdpHeader.writeTagged(at, VERSION, last, rsvdUlp, stag, to);
      } else {
        DdpHeader.writeUntagged(at, VERSION, last, rsvdUlp, stag, qn, msn, mo);
      }
      Memory.copy(octets, 0, at + header, octets.length);
      return memory.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** In the words of {@code interop/tshark/messages}, from the ULPDU's length on. */
  String words() {
    int header = tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
    CRC32 crc = new CRC32();
    byte[] octets = HexFormat.of().parseHex(payload);
    crc.update(octets);
    String place = tagged ? "%08x %016x".formatted(stag, to) : "%d %d %d".formatted(qn, msn, mo);
    return "%d %d %s %s %d %08x"
        .formatted(
            header + octets.length,
            opcode,
            last ? "last" : "more",
            place,
            octets.length,
            crc.getValue());
  }
}
