package org.rddp.interop.guest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * The protocol of rping, as client and as server. In every round the client advertises a buffer
 * with data, which the server reads; then a buffer for the same data, which the server writes back.
 * The server confirms each with a message.
 *
 * <p>A message is 16 octets: address, STag and length of a buffer; the server's contents have no
 * meaning. The data is text that ends with a zero, up to which it is written back.
 */
public final class Rping {
  private static final int MESSAGE = 16;
  private static final int FIRST_LETTER = 'A';
  private static final int LETTERS = 57;

  private final int count;
  private final int size;

  /**
   * A run of {@code count} rounds.
   *
   * @param size octets of data, the final zero included
   */
  public Rping(int count, int size) {
    this.count = count;
    this.size = size;
  }

  /** Runs our client, until all data has come back unchanged. */
  public void client(HostProgram program, PeerConnection server) {
    MemoryRegion source = program.allocate(size, Access.REMOTE_READ);
    MemoryRegion sink = program.allocate(size, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    SplittableRandom random = new SplittableRandom(size);
    for (int round = 0; round < count; round++) {
      for (int i = 0; i < size - 1; i++) {
        source
            .segment()
            .set(ValueLayout.JAVA_BYTE, i, (byte) (FIRST_LETTER + random.nextInt(LETTERS)));
      }
      sink.segment().fill((byte) 0);
      server.send(advertise(source));
      server.receive(MESSAGE);
      server.send(advertise(sink));
      server.receive(MESSAGE);
      long difference = source.segment().mismatch(sink.segment());
      if (difference >= 0) {
        throw new IllegalStateException(
            "what came back in round " + round + " differs from octet " + difference + " on");
      }
    }
  }

  private byte[] advertise(MemoryRegion region) {
    return ByteBuffer.allocate(MESSAGE)
        .putLong(region.baseTo())
        .putInt(region.stag())
        .putInt(size)
        .array();
  }

  /** Runs our server for one client, for all its rounds. */
  public void server(HostProgram program, Listener listener) {
    PeerConnection client = program.accept(listener, PrivateData.NONE, MESSAGE);
    MemoryRegion data = program.allocate(size, Access.LOCAL_WRITE);
    for (int round = 0; round < count; round++) {
      RemoteBuffer source = advertised(client.receive(MESSAGE));
      client.read(data, source.octets(), source);
      long length = textLength(data.segment(), round);
      client.send(new byte[MESSAGE]);
      RemoteBuffer sink = advertised(client.receive(MESSAGE));
      client.write(data, length, sink);
      client.send(new byte[MESSAGE]);
    }
    client.awaitPeersEnd();
  }

  private static long textLength(MemorySegment data, int round) {
    String expected = "rdma-ping-" + round + ": ";
    byte[] first = data.asSlice(0, expected.length()).toArray(ValueLayout.JAVA_BYTE);
    if (!new String(first, StandardCharsets.US_ASCII).equals(expected)) {
      throw new IllegalStateException("what was read is not rping's data of round " + round);
    }
    long length = 0;
    while (data.get(ValueLayout.JAVA_BYTE, length) != 0) {
      length++;
    }
    return length + 1;
  }

  private RemoteBuffer advertised(byte[] message) {
    ByteBuffer fields = ByteBuffer.wrap(message);
    long to = fields.getLong();
    int stag = fields.getInt();
    int octets = fields.getInt();
    if (octets != size) {
      throw new IllegalStateException("the client names " + octets + " octets, not " + size);
    }
    return new RemoteBuffer(stag, to, octets);
  }
}
