package org.rddp.ipc.control;

import java.util.ArrayList;
import java.util.List;

/**
 * A range of a memory, one of several that a region is made of.
 *
 * @param memory number of the memory
 * @param offset offset of the range's first octet
 * @param octets greater than 0
 */
public record MemoryPiece(int memory, long offset, long octets) {
  /** The most pieces of a region: as many as fit into a message. */
  public static final int MOST = 200;

  static void write(MessageBuffer buffer, List<MemoryPiece> pieces) {
    buffer.putShort(pieces.size());
    for (MemoryPiece piece : pieces) {
      buffer.putInt(piece.memory);
      buffer.putLong(piece.offset);
      buffer.putLong(piece.octets);
    }
  }

  static List<MemoryPiece> read(MessageBuffer buffer) throws ControlProtocolException {
    int count = buffer.getShort();
    if (count > MOST) {
      throw new ControlProtocolException(count + " pieces, at most " + MOST);
    }
    List<MemoryPiece> pieces = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      pieces.add(new MemoryPiece(buffer.getInt(), buffer.getLong(), buffer.getLong()));
    }
    return List.copyOf(pieces);
  }
}
