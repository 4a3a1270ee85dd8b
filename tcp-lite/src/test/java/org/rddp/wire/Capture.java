package org.rddp.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** The frames of a packet capture among the test resources. */
final class Capture {
  private static final int FILE_HEADER = 24;

  private Capture() {}

  static List<byte[]> frames(String name) throws IOException {
    try (InputStream in = Capture.class.getResourceAsStream("/" + name)) {
      ByteBuffer file = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
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
}
