package org.rddp.snapshot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32C;
import org.rddp.wire.Memory;

/**
 * Reads a snapshot. Every method throws {@link SnapshotException} if the snapshot has something
 * else there than is asked for.
 */
public final class SnapshotReader extends Snapshot {
  private static final String[] KINDS = {
    "nothing", "an object", "the end of an object", "a number", "a text", "octets"
  };

  private final byte[] octets;
  private int at = SnapshotFormat.HEADER;
  private final List<String> names = new ArrayList<>();
  private final Deque<String> begun = new ArrayDeque<>();

  /**
   * Begins to read.
   *
   * @throws SnapshotException if it is of another format, or was cut off or changed
   */
  public SnapshotReader(byte[] octets) {
    this.octets = octets;
    if (octets.length < SnapshotFormat.HEADER) {
      throw new SnapshotException(
          "a snapshot has at least 20 octets, and this has " + octets.length);
    }
    ByteBuffer header = ByteBuffer.wrap(octets);
    if (header.getLong() != SnapshotFormat.MAGIC) {
      throw new SnapshotException("this is no snapshot of rddp: it does not begin with rddpsnap");
    }
    int format = header.getInt();
    if (format != FORMAT) {
      throw new SnapshotException(
          "the snapshot is of format " + format + ", and this program reads only format " + FORMAT);
    }
    int length = header.getInt();
    int body = octets.length - SnapshotFormat.HEADER;
    if (length != body) {
      throw new SnapshotException(
          "the snapshot has " + body + " octets behind its header, which says " + length);
    }
    CRC32C check = new CRC32C();
    check.update(octets, SnapshotFormat.HEADER, body);
    if (header.getInt() != (int) check.getValue()) {
      throw new SnapshotException("the snapshot is damaged: its checksum is wrong");
    }
  }

  @Override
  public boolean reads() {
    return true;
  }

  @Override
  public void begin(Class<?> of) {
    item(SnapshotFormat.BEGIN, of.getSimpleName());
    begun.push(of.getSimpleName());
  }

  @Override
  public void end() {
    kind(SnapshotFormat.END, "the end of " + begun.peek());
    begun.pop();
  }

  @Override
  public long number(String name, long value) {
    item(SnapshotFormat.NUMBER, name);
    long read = number();
    return (read >>> 1) ^ -(read & 1);
  }

  @Override
  public String text(String name, String value) {
    item(SnapshotFormat.TEXT, name);
    byte[] text = all();
    return text == null ? null : new String(text, StandardCharsets.UTF_8);
  }

  @Override
  public void octets(String name, long address, int length) {
    item(SnapshotFormat.OCTETS, name);
    long written = number();
    if (written != length) {
      throw wrong(written + " octets of " + name + " were expected to be " + length);
    }
    require(length);
    Memory.copy(octets, at, address, length);
    at += length;
  }

  @Override
  public byte[] octets(String name, byte[] value) {
    item(SnapshotFormat.OCTETS, name);
    return all();
  }

  /** Octets behind their number and one more; null for none. */
  private byte[] all() {
    long length = number() - 1;
    if (length < 0) {
      return null;
    }
    if (length > octets.length - at) {
      throw wrong("it ends there");
    }
    at += (int) length;
    return Arrays.copyOfRange(octets, at - (int) length, at);
  }

  /** Checks that everything has been read. */
  public void finish() {
    if (at != octets.length) {
      throw wrong(octets.length - at + " more octets than expected");
    }
  }

  @Override
  public SnapshotException wrong(String what) {
    String where = begun.isEmpty() ? "" : " in " + String.join(" of ", begun);
    return new SnapshotException("the snapshot is wrong at octet " + at + where + ": " + what);
  }

  private void kind(int expected, String what) {
    int found = octet();
    if (found != expected) {
      String there = found < KINDS.length ? KINDS[found] : "an item of kind " + found;
      throw wrong("instead of " + what + " there is " + there);
    }
  }

  private void item(int kind, String name) {
    kind(kind, name);
    long number = number();
    if (number == names.size()) {
      byte[] text = all();
      names.add(new String(text == null ? new byte[0] : text, StandardCharsets.US_ASCII));
    }
    if (number < 0 || number >= names.size()) {
      throw wrong("instead of " + name + " there is name " + number + " of " + names.size());
    }
    if (!names.get((int) number).equals(name)) {
      throw wrong("instead of " + name + " there is " + names.get((int) number));
    }
  }

  private long number() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int octet = octet();
      value |= (octet & 0x7fL) << shift;
      if (octet < 0x80) {
        return value;
      }
    }
    throw wrong("a number has more than 64 bits");
  }

  private int octet() {
    require(1);
    return octets[at++] & 0xff;
  }

  private void require(int more) {
    if (more > octets.length - at) {
      throw wrong("it ends there");
    }
  }
}
