package org.rddp.interop.guest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * The protocol of the tools of perftest 4.5 with connections by the RDMA connection manager (option
 * {@code -R}), as client and as server.
 *
 * <p>There are two connections. Over the first the sides exchange parameters: the client sends one,
 * and the server answers with its own of the same kind. The second, opened halfway, is measured. A
 * "destination" describes a side's buffer.
 */
public final class Perftest {
  private static final String VERSION = "6.06";
  private static final int VERSION_OCTETS = 16;
  private static final int CYCLE_BUFFER = 4096;
  private static final int CACHE_LINE = 64;
  private static final byte[] MTU_4096 = {'5', 0};
  private static final int DESTINATION = 56;
  private static final int OUT_READS = 4;
  private static final int STAG = 16;
  private static final int TO = 24;
  private static final int REPORT_FIELDS = 5;
  private static final int LONGEST = 64;

  /** The tools. */
  public enum Tool {
    SEND_LATENCY("ib_send_lat"),
    WRITE_BANDWIDTH("ib_write_bw"),
    READ_BANDWIDTH("ib_read_bw");

    private final String command;

    Tool(String command) {
      this.command = command;
    }

    boolean bandwidth() {
      return this != SEND_LATENCY;
    }

    @Override
    public String toString() {
      return command;
    }
  }

  private final Tool tool;
  private final int count;
  private final int size;

  /** A run of {@code count} messages of {@code size} octets. */
  public Perftest(Tool tool, int count, int size) {
    this.tool = tool;
    this.count = count;
    this.size = size;
  }

  /** The command in the guest, with %d for the port, and without the server's address. */
  public String command(GuestLink link) {
    String reads = tool == Tool.READ_BANDWIDTH ? " -o " + OUT_READS : "";
    return "%s -R -F -d %s -p %%d -s %d -n %d%s".formatted(tool, link.device(), size, count, reads);
  }

  /** Runs our client against the server in the guest. */
  public void client(HostProgram program, GuestLink link, int port) {
    PeerConnection first = program.connect(link.guest(port), PrivateData.NONE, LONGEST);
    MemoryRegion buffer = buffer(program);
    byte[] none = new byte[DESTINATION];
    for (byte[] word : words()) {
      exchange(first, word);
    }
    exchange(first, none);
    PeerConnection second = program.connect(link.guest(port), PrivateData.NONE, room());
    exchange(first, none);
    byte[] ours = destination(buffer);
    RemoteBuffer theirs = read(exchange(first, ours));
    // With sends there is one more repetition, before both start.
    int repetitions = tool.bandwidth() ? 2 : 3;
    for (int i = 0; i < repetitions; i++) {
      exchange(first, ours);
    }
    measure(second, buffer, theirs);
    if (tool.bandwidth()) {
      exchange(first, ours);
      for (int i = 0; i < REPORT_FIELDS; i++) {
        exchange(first, new byte[Long.BYTES]);
      }
    }
    exchange(first, ours);
    // siw reports its last message as lost if the connection ends at once.
    first.awaitPeersEnd();
  }

  private void measure(PeerConnection peer, MemoryRegion buffer, RemoteBuffer theirs) {
    for (int i = 0; i < count; i++) {
      switch (tool) {
        case SEND_LATENCY -> {
          peer.send(new byte[size]);
          peer.receive(size);
        }
        case WRITE_BANDWIDTH -> {
          peer.beginWrite(buffer, size, theirs);
          peer.finish("room for a write", OUT_READS);
        }
        default -> {
          peer.beginRead(buffer, 0, size, theirs);
          peer.finish("answer to a read", OUT_READS);
        }
      }
    }
    peer.finish("end of what was begun");
  }

  /** Runs our server for one client in the guest. */
  public void server(HostProgram program, Listener listener) {
    PeerConnection first = program.accept(listener, PrivateData.NONE, LONGEST);
    MemoryRegion buffer = buffer(program);
    byte[] none = new byte[DESTINATION];
    for (byte[] word : words()) {
      answer(first, word);
    }
    answer(first, none);
    PeerConnection second = program.accept(listener, PrivateData.NONE, room());
    answer(first, none);
    byte[] ours = destination(buffer);
    int repetitions = tool.bandwidth() ? 3 : 4;
    for (int i = 0; i < repetitions; i++) {
      answer(first, ours);
    }
    if (tool.bandwidth()) {
      answer(first, ours);
      for (int i = 0; i < REPORT_FIELDS; i++) {
        answer(first, new byte[Long.BYTES]);
      }
    } else {
      for (int i = 0; i < count; i++) {
        second.receive(size);
        second.send(new byte[size]);
      }
    }
    answer(first, ours);
    first.awaitPeersEnd();
    if (tool == Tool.WRITE_BANDWIDTH && isEmpty(buffer)) {
      throw new IllegalStateException("nothing was written");
    }
  }

  private static boolean isEmpty(MemoryRegion buffer) {
    return buffer.segment().mismatch(java.lang.foreign.MemorySegment.ofArray(new byte[64])) >= 64;
  }

  private int room() {
    return Math.max(size, LONGEST);
  }

  /** The tools place short messages in a page. */
  private MemoryRegion buffer(HostProgram program) {
    return program.allocate(
        2L * Math.max(size, CYCLE_BUFFER),
        Access.LOCAL_WRITE,
        Access.REMOTE_READ,
        Access.REMOTE_WRITE);
  }

  /** Parameters exchanged before the second connection: version, sizes, MTU. */
  private static List<byte[]> words() {
    byte[] version = new byte[VERSION_OCTETS];
    byte[] letters = VERSION.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(letters, 0, version, 0, letters.length);
    return List.of(version, number(CYCLE_BUFFER), number(CACHE_LINE), MTU_4096);
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  private static byte[] destination(MemoryRegion buffer) {
    return ByteBuffer.allocate(DESTINATION)
        .putInt(Integer.BYTES, OUT_READS)
        .putInt(STAG, buffer.stag())
        .putLong(TO, buffer.baseTo())
        .array();
  }

  private RemoteBuffer read(byte[] destination) {
    ByteBuffer fields = ByteBuffer.wrap(destination);
    return new RemoteBuffer(fields.getInt(STAG), fields.getLong(TO), size);
  }

  private static byte[] exchange(PeerConnection peer, byte[] message) {
    peer.send(message);
    return peer.receive(message.length);
  }

  private static void answer(PeerConnection peer, byte[] message) {
    peer.receive(message.length);
    peer.send(message);
  }
}
