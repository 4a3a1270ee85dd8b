package org.rddp.example;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.DdpQueues;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;

/**
 * The program in docs/plain-ddp.md: sends a request on one queue and receives the answer on
 * another.
 */
public final class OwnQueues {
  private OwnQueues() {}

  /** Sends {@code question} to the server and returns its answer. */
  public static String run(Path socket, InetSocketAddress server, String question) {
    // plain-ddp: begin
    int questions = 0; // Queue Numbers, and what they are for, are between the two programs.
    int answers = 1;
    ConnectionOptions options = ConnectionOptions.plainDdp(1, 16).withHeldOctets(1 << 16);
    try (Rddp rddp = Rddp.connect(socket);
        MemoryRegion memory = rddp.allocate(8192, Access.LOCAL_WRITE);
        Connection peer = rddp.connect(server, PrivateData.NONE, Duration.ofSeconds(5), options)) {
      DdpQueues ddp = peer.ddp();
      memory.segment().setString(0, question);
      int octets = question.getBytes(StandardCharsets.UTF_8).length + 1;
      long ulp = 0x01_0000_002aL; // 40 bits for the peer's program: a kind and a number, say
      boolean posted =
          ddp.postReceive(answers, 1, memory, 4096, 4096)
              && ddp.postUntagged(questions, 2, memory, 0, octets, ulp, SendFlags.SIGNALLED);
      if (!posted) {
        throw new IllegalStateException("a queue is full");
      }

      String[] answer = new String[1];
      while (answer[0] == null && peer.streamError() == null) {
        rddp.poll(
            completion -> {
              if (completion.isSuccess() && completion.opcode() == Opcode.RECEIVE_UNTAGGED) {
                answer[0] = completion.qn() + "/" + Long.toHexString(completion.rsvdUlp());
                answer[0] += " " + memory.segment().getString(4096);
              }
            },
            16);
      }
      return answer[0] == null ? "failed: " + peer.streamError() : answer[0];
    }
    // plain-ddp: end
  }
}
