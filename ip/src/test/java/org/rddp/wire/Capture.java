package org.rddp.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The frames of a packet capture among the test resources of the module ddp-engine. */
final class Capture {
  private static final Path FOLDER = Path.of("../ddp-engine/src/test/resources/org/rddp/captures");

  private static final int FILE_HEADER = 24;

  private Capture() {}

  static List<byte[]> frames(String name) throws IOException {
    ByteBuffer file =
        ByteBuffer.wrap(Files.readAllBytes(FOLDER.resolve(name))).order(ByteOrder.LITTLE_ENDIAN);
    file.position(FILE_HEADER);
    List<byte[]> frames = new ArrayList<>();
    while (file.hasRemaining()) {
      file.getLong();
      byte[] frame = new byte[file.getInt()];
      file.getInt();
      file.get(frame);
      frames.add(frame);
    }
    return frames;
  }
}
