package org.rddp.example;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * The program in the README: writes into the memory of {@code rddp echo} and sends it a message.
 */
public final class HelloWrite {
  private HelloWrite() {}

  /** Writes and sends {@code text}, and returns the echo. */
  public static String run(Path socket, InetSocketAddress echo, String text) {
    // README: begin
    try (Rddp rddp = Rddp.connect(socket);
        MemoryRegion memory = rddp.allocate(8192, Access.LOCAL_WRITE);
        Connection peer = rddp.connect(echo, PrivateData.NONE, Duration.ofSeconds(5))) {
      // The peer's program says where it may be written: STag, Tagged Offset, length.
      ByteBuffer named = ByteBuffer.wrap(peer.privateData().toByteArray());
      int stag = named.getInt();
      long to = named.getLong();

      int octets = text.getBytes(StandardCharsets.UTF_8).length + 1;
      memory.segment().setString(0, text); // in UTF-8, with a zero octet behind it
      boolean posted =
          peer.postReceive(1, memory, 4096, 4096)
              && peer.postWrite(2, memory, 0, octets, stag, to) // into its memory
              && peer.postSend(3, memory, 0, octets); // and a message, for the echo
      if (!posted) {
        throw new IllegalStateException("a queue is full");
      }

      int[] left = {3};
      while (left[0] > 0) {
        rddp.poll(
            completion -> {
              if (!completion.isSuccess()) {
                throw new IllegalStateException(completion.toString());
              }
              left[0]--;
            },
            16);
      }
      return memory.segment().getString(4096);
    }
    // README: end
  }
}
