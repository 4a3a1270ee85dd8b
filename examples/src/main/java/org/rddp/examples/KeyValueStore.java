package org.rddp.examples;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * A table that one program writes, and others read without its help, by RDMA Reads.
 *
 * <p>A Read may overlap a change of the slot, and see some octets from before and some from after.
 * So every slot is a sequence lock: its version is odd while it is changed. A reader reads the
 * version, the value, and the version again; these three Reads are carried out in this order (RFC
 * 5040 section 5.5). The value is whole if both versions are the same even number.
 */
public final class KeyValueStore {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final VarHandle VERSION = ValueLayout.JAVA_LONG.varHandle();
  private static final int LENGTH_AT = 8;
  private static final int VALUE_AT = 12;
  private static final int SLOT = 256;

  private KeyValueStore() {}

  /** The program with the table. Its key is the number of a slot. */
  public static final class Server implements AutoCloseable {
    private final MemoryRegion table;
    private final Listener listener;
    private final List<Connection> readers = new ArrayList<>();

    /** Makes an empty table. Port 0: any free one. */
    public Server(Rddp session, int port, int slots) {
      table = session.allocate((long) slots * SLOT, Access.LOCAL_WRITE, Access.REMOTE_READ);
      listener = session.listen(port);
    }

    /** Its port. */
    public int port() {
      return listener.address().getPort();
    }

    /** Waits for a reader, and ends the connections of those that have left. */
    public void accept(Duration patience) {
      IncomingConnection incoming = listener.await(patience);
      if (incoming != null) {
        Peers.accept(incoming, RemoteBuffer.of(table).toPrivateData(), readers);
      }
      readers.removeIf(Peers::hasLeft);
    }

    /** Changes a value of at most 244 octets. One thread at a time. */
    public void put(int key, String value) {
      byte[] octets = value.getBytes(StandardCharsets.UTF_8);
      MemorySegment slot = table.segment().asSlice((long) key * SLOT, SLOT);
      long version = slot.get(ValueLayout.JAVA_LONG, 0);
      VERSION.setOpaque(slot, 0L, version + 1);
      VarHandle.storeStoreFence(); // the odd version is visible before the value changes
      slot.set(ValueLayout.JAVA_INT, LENGTH_AT, octets.length);
      MemorySegment.copy(octets, 0, slot, ValueLayout.JAVA_BYTE, VALUE_AT, octets.length);
      VERSION.setRelease(slot, 0L, version + 2); // and the value before the even one
    }

    @Override
    public void close() {
      listener.close();
    }
  }

  /** A program that reads. */
  public static final class Reader implements AutoCloseable {
    private final Connection connection;
    private final RemoteBuffer table;
    private final MemoryRegion copy;

    /** Connects to the server. */
    public Reader(Rddp session, InetSocketAddress server) {
      connection = session.connect(server, PrivateData.NONE, TIMEOUT);
      table = RemoteBuffer.from(connection.privateData());
      copy = session.allocate(SLOT + 16, Access.LOCAL_WRITE);
    }

    /** Reads a value; empty if there is none yet. */
    public String get(int key) {
      long to = table.to() + (long) key * SLOT;
      MemorySegment memory = copy.segment();
      while (true) {
        // Unsignalled: the completion of the third Read reports the first two.
        if (!connection.postRead(0, copy, SLOT, 8, table.stag(), to, 0)
            || !connection.postRead(0, copy, 0, SLOT, table.stag(), to, 0)) {
          throw new IllegalStateException("the send queue is full");
        }
        connection.blocking().read(copy, SLOT + 8, 8, table.stag(), to, TIMEOUT);
        long before = memory.get(ValueLayout.JAVA_LONG, SLOT);
        if (before % 2 == 0 && before == memory.get(ValueLayout.JAVA_LONG, SLOT + 8)) {
          int length = memory.get(ValueLayout.JAVA_INT, LENGTH_AT);
          byte[] octets = memory.asSlice(VALUE_AT, length).toArray(ValueLayout.JAVA_BYTE);
          return new String(octets, StandardCharsets.UTF_8);
        }
      }
    }

    @Override
    public void close() {
      connection.close();
      copy.close();
    }
  }
}
