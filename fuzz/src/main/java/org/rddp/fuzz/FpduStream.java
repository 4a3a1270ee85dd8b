package org.rddp.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.rddp.mpa.MpaError;

/**
 * A stream of FPDUs, written and read octet by octet as RFC 5044 section 4 defines it, without any
 * code of MPA. Offsets count from the first octet of Full Operation.
 */
final class FpduStream {
  private static final int INTERVAL = 512;
  private static final int MARKER = 4;
  private static final int CRC = 4;

  private final boolean markers;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** ULPDUs of whole and right FPDUs, before anything else, by the offsets of their FPDUs. */
  private final TreeMap<Long, byte[]> ulpdus = new TreeMap<>();

  private MpaError error;
  private int end;

  FpduStream(boolean markers) {
    this.markers = markers;
  }

  /** Its length in octets. */
  int length() {
    return out.size();
  }

  byte[] octets() {
    return out.toByteArray();
  }

  /** Adds octets that need be no FPDU. */
  void raw(int octet) {
    out.write(octet);
  }

  /**
   * Adds an FPDU that is right except for what the arguments change.
   *
   * @param length its ULPDU_Length
   * @param pointer what is added to each FPDUPTR
   * @param crc what the CRC is XORed with
   */
  void fpdu(byte[] ulpdu, int length, int pointer, int crc) {
    ByteArrayOutputStream fpdu = new ByteArrayOutputStream();
    int base = out.size();
    int header = markers && base % INTERVAL == 0 ? MARKER : 0;
    put(fpdu, base, header, pointer, length >> 8);
    put(fpdu, base, header, pointer, length);
    for (byte octet : ulpdu) {
      put(fpdu, base, header, pointer, octet);
    }
    for (int pad = -(2 + ulpdu.length) & 3; pad > 0; pad--) {
      put(fpdu, base, header, pointer, 0);
    }
    putMarkerWhereDue(fpdu, base, header, pointer);
    CRC32C all = new CRC32C();
    all.update(fpdu.toByteArray());
    int field = Integer.reverseBytes((int) all.getValue() ^ crc);
    fpdu.writeBytes(ByteBuffer.allocate(CRC).putInt(field).array());
    out.writeBytes(fpdu.toByteArray());
  }

  private void put(ByteArrayOutputStream fpdu, int base, int header, int pointer, int octet) {
    putMarkerWhereDue(fpdu, base, header, pointer);
    fpdu.write(octet);
  }

  private void putMarkerWhereDue(ByteArrayOutputStream fpdu, int base, int header, int pointer) {
    int at = fpdu.size();
    if (markers && (base + at) % INTERVAL == 0) {
      int right = at == 0 ? 0 : at - header;
      fpdu.writeBytes(ByteBuffer.allocate(MARKER).putInt(right + pointer & 0xffff).array());
    }
  }

  /**
   * Reads the stream from the front.
   *
   * @param checkCrc whether CRCs count
   */
  void read(boolean checkCrc) {
    byte[] all = octets();
    while (error == null && readOne(all, checkCrc)) {
      // One FPDU after the other.
    }
  }

  /** Whether a whole and right FPDU with this ULPDU begins at an offset. */
  boolean holds(int offset, byte[] ulpdu, boolean checkCrc) {
    FpduStream there = new FpduStream(markers);
    there.out.writeBytes(octets());
    there.end = offset;
    there.readOne(octets(), checkCrc);
    return there.error == null && Arrays.equals(there.ulpdus.get((long) offset), ulpdu);
  }

  /** Whether it ends between two FPDUs: a Marker that came early is no FPDU yet. */
  boolean atBoundary() {
    int left = length() - end;
    byte[] all = octets();
    boolean marker = marker(end) && left == MARKER;
    return left == 0 || (marker && all[end + 2] == 0 && (all[end + 3] & 0xfc) == 0);
  }

  /** Reads the FPDU at {@link #end}; returns false if it is not whole. */
  private boolean readOne(byte[] all, boolean checkCrc) {
    int at = end;
    int header = at + (marker(at) ? MARKER : 0);
    if (header + 2 > all.length) {
      return false;
    }
    int length = (all[header] & 0xff) << 8 | (all[header + 1] & 0xff);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    boolean pointers = true;
    int left = 2 + length + (-(2 + length) & 3) + CRC;
    int crcAt = 0;
    for (int read = 0; read < left; read++) {
      if (marker(at)) {
        if (at + MARKER > all.length) {
          return false;
        }
        int said = (all[at + 2] & 0xff) << 8 | (all[at + 3] & 0xfc);
        pointers &= said == (at < header ? 0 : at - header);
        at += MARKER;
      }
      if (at >= all.length) {
        return false;
      }
      if (read >= 2 && read < 2 + length) {
        content.write(all[at]);
      }
      if (read == left - CRC) {
        crcAt = at;
      }
      at++;
    }
    CRC32C crc = new CRC32C();
    crc.update(all, end, crcAt - end);
    int said = Integer.reverseBytes(ByteBuffer.wrap(all).getInt(crcAt));
    if (checkCrc && said != (int) crc.getValue()) {
      error = MpaError.CRC;
    } else if (!pointers) {
      error = MpaError.MARKER;
    } else {
      ulpdus.put((long) end, content.toByteArray());
      end = at;
    }
    return true;
  }

  private boolean marker(int offset) {
    return markers && offset % INTERVAL == 0;
  }

  /** The ULPDUs before anything that is wrong, by the offsets of their FPDUs. */
  NavigableMap<Long, byte[]> ulpdus() {
    return ulpdus;
  }

  /** The error of the first wrong FPDU, or null. */
  MpaError error() {
    return error;
  }

  /** Where the first FPDU begins that is wrong or not whole. */
  int end() {
    return end;
  }
}
