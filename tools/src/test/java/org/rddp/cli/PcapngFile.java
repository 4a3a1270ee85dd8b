package org.rddp.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The blocks of a pcapng file, for tests. */
record PcapngFile(List<Block> blocks) {
  /** A block: its type, its body, and its options by code. */
  record Block(int type, ByteBuffer body, Map<Integer, byte[]> options) {
    String text(int option) {
      byte[] octets = options.get(option);
      return octets == null ? null : new String(octets, StandardCharsets.UTF_8);
    }

    long number(int option) {
      return ByteBuffer.wrap(options.get(option)).order(ByteOrder.nativeOrder()).getLong();
    }
  }

  static final int SECTION = 0x0a0d0d0a;
  static final int INTERFACE = 1;
  static final int STATISTICS = 5;
  static final int PACKET = 6;

  static PcapngFile read(Path file) throws IOException {
    return read(Files.readAllBytes(file));
  }

  static PcapngFile read(byte[] octets) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder());
    List<Block> blocks = new ArrayList<>();
    while (in.hasRemaining()) {
      int start = in.position();
      int type = in.getInt();
      int length = in.getInt();
      if ((length & 3) != 0 || in.getInt(start + length - 4) != length) {
        throw new IOException("the block at " + start + " has two lengths");
      }
      ByteBuffer body = in.slice(start + 8, length - 12).order(ByteOrder.nativeOrder());
      blocks.add(new Block(type, body, options(type, body)));
      in.position(start + length);
    }
    return new PcapngFile(blocks);
  }

  private static Map<Integer, byte[]> options(int type, ByteBuffer body) {
    int at =
        switch (type) {
          case SECTION -> 16;
          case INTERFACE -> 8;
          case STATISTICS -> 12;
          default -> 20 + (body.getInt(12) + 3 & ~3);
        };
    Map<Integer, byte[]> options = new HashMap<>();
    while (body.getShort(at) != 0) {
      byte[] value = new byte[body.getShort(at + 2)];
      body.get(at + 4, value);
      options.put((int) body.getShort(at), value);
      at += 4 + (value.length + 3 & ~3);
    }
    return options;
  }

  List<Block> of(int type) {
    return blocks.stream().filter(block -> block.type() == type).toList();
  }
}
