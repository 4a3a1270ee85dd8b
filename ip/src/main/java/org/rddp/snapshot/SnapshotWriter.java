package org.rddp.snapshot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.rddp.wire.Memory;

/**
 * Writes a snapshot. It may hold keys, so the writer overwrites its own copies of it; what {@link
 * #finish} returns is the caller's to overwrite.
 */
public final class SnapshotWriter extends Snapshot {
  private byte[] octets = new byte[1 << 12];
  private int length = SnapshotFormat.HEADER;
  private final Map<String, Integer> names = new HashMap<>();

  /** The names of the objects that have been begun and not ended. */
  private String[] begun = new String[8];

  private int depth;

  /** The fields written so far, by the class of their object. */
  private final Map<String, Set<String>> fields = new LinkedHashMap<>();

  /** Creates an empty snapshot. */
  public SnapshotWriter() {}

  @Override
  public boolean reads() {
    return false;
  }

  @Override
  public void begin(Class<?> of) {
    if (depth == begun.length) {
      begun = Arrays.copyOf(begun, 2 * depth);
    }
    begun[depth++] = of.getSimpleName();
    item(SnapshotFormat.BEGIN, of.getSimpleName());
  }

  @Override
  public void end() {
    depth--;
    put(SnapshotFormat.END);
  }

  @Override
  public long number(String name, long value) {
    field(SnapshotFormat.NUMBER, name);
    number((value << 1) ^ (value >> 63));
    return value;
  }

  @Override
  public String text(String name, String value) {
    field(SnapshotFormat.TEXT, name);
    put(value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    return value;
  }

  @Override
  public void octets(String name, long address, int count) {
    field(SnapshotFormat.OCTETS, name);
    number(count);
    reserve(count);
    Memory.copy(address, octets, length, count);
    length += count;
  }

  @Override
  public byte[] octets(String name, byte[] value) {
    field(SnapshotFormat.OCTETS, name);
    put(value);
    return value;
  }

  @Override
  public SnapshotException wrong(String what) {
    return new SnapshotException("the state cannot be written: " + what);
  }

  private void field(int kind, String name) {
    fields.computeIfAbsent(begun[depth - 1], any -> new TreeSet<>()).add(name);
    item(kind, name);
  }

  /** Writes a kind and a name: the name's number, or, the first time, the next number and it. */
  private void item(int kind, String name) {
    put(kind);
    Integer number = names.putIfAbsent(name, names.size());
    number(number == null ? names.size() - 1 : number);
    if (number == null) {
      put(name.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Writes octets behind their number and one more, or 0 for none. */
  private void put(byte[] value) {
    number(value == null ? 0 : value.length + 1);
    if (value != null) {
      reserve(value.length);
      System.arraycopy(value, 0, octets, length, value.length);
      length += value.length;
    }
  }

  /** Writes an unsigned number, seven bits at a time, the lowest first. */
  private void number(long value) {
    long rest = value;
    while (rest >>> 7 != 0) {
      put(((int) rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    put((int) rest);
  }

  private void put(int octet) {
    reserve(1);
    octets[length++] = (byte) octet;
  }

  private void reserve(int more) {
    if (more > octets.length - length) {
      byte[] outgrown = octets;
      octets = Arrays.copyOf(outgrown, Math.max(2 * outgrown.length, length + more));
      Arrays.fill(outgrown, (byte) 0);
    }
  }

  /** The fields written so far, by the simple name of the class of their object. */
  public Map<String, Set<String>> fields() {
    return fields;
  }

  /** Ends the snapshot; returns all of it, once. */
  public byte[] finish() {
    if (depth != 0) {
      throw new IllegalStateException(begun[depth - 1] + " has not been ended");
    }
    CRC32C check = new CRC32C();
    check.update(octets, SnapshotFormat.HEADER, length - SnapshotFormat.HEADER);
    ByteBuffer header = ByteBuffer.wrap(octets);
    header.putLong(SnapshotFormat.MAGIC);
    header.putInt(FORMAT);
    header.putInt(length - SnapshotFormat.HEADER);
    header.putInt((int) check.getValue());
    byte[] all = Arrays.copyOf(octets, length);
    Arrays.fill(octets, (byte) 0);
    return all;
  }
}
