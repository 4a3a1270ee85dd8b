package org.rddp.examples;

import static org.rddp.client.types.SendFlags.SIGNALLED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;

/**
 * A publisher writes each message into the memory of every subscriber, which has a ring of slots
 * for that, and sends the message's number behind it: when a subscriber has the number, the message
 * is there. A subscriber sends an empty message for each message that it has taken. One that lags
 * by a whole ring is disconnected, so that it does not delay the others.
 */
public final class Publisher implements AutoCloseable {
  static final int SLOTS = 64;
  static final int SLOT = 256;

  /** A subscriber's ring, and how many messages it has been sent and has taken. */
  private static final class Peer {
    private RemoteBuffer ring;
    private long sent;
    private long taken;
  }

  private final Rddp session;
  private final Listener listener;
  private final MemoryRegion ring;
  private final List<Connection> connections = new ArrayList<>();
  private long published;

  /** A publisher without subscribers. Port 0: any free one. */
  public Publisher(Rddp session, int port) {
    this.session = session;
    ring = session.allocate(SLOTS * SLOT, Access.LOCAL_WRITE);
    listener = session.listen(port);
  }

  /** Its port. */
  public int port() {
    return listener.address().getPort();
  }

  /** Accepts subscribers and notes what they have taken; returns how many there are. */
  public int serve() {
    for (IncomingConnection next = listener.poll(); next != null; next = listener.poll()) {
      Connection connection = next.connection();
      Peer peer = new Peer();
      peer.ring = RemoteBuffer.from(next.privateData());
      connection.attach(peer);
      for (int i = 0; i < SLOTS; i++) {
        receive(connection);
      }
      connections.add(next.accept());
    }
    session.poll(this::onCompletion, 1024);
    connections.removeIf(Peers::hasLeft);
    return connections.size();
  }

  private void onCompletion(Completion completion) {
    if (completion.isSuccess() && completion.opcode() == Opcode.RECEIVE) {
      ((Peer) completion.connection().attachment()).taken++;
      receive(completion.connection());
    }
  }

  private void receive(Connection connection) {
    if (!connection.postReceive(0, ring, 0, 0)) {
      connection.abort();
    }
  }

  /** Whether every subscriber can take one more text. */
  public boolean hasRoom() {
    return connections.stream().allMatch(Publisher::hasRoom);
  }

  private static boolean hasRoom(Connection connection) {
    return connection.attachment() instanceof Peer to && to.sent - to.taken < SLOTS;
  }

  /** Sends a text of at most 256 octets to every subscriber; returns to how many. */
  public int publish(String text) {
    byte[] octets = text.getBytes(StandardCharsets.UTF_8);
    long at = published++ % SLOTS * SLOT;
    MemorySegment.copy(octets, 0, ring.segment(), ValueLayout.JAVA_BYTE, at, octets.length);
    int sent = 0;
    for (Connection connection : connections) {
      Peer to = (Peer) connection.attachment();
      long slot = to.ring.to() + to.sent % SLOTS * SLOT;
      int length = octets.length;
      int stag = to.ring.stag();
      if (hasRoom(connection)
          && connection.postWriteImmediate(1, ring, at, length, stag, slot, length, SIGNALLED)) {
        to.sent++;
        sent++;
      } else {
        connection.abort();
      }
    }
    return sent;
  }

  @Override
  public void close() {
    listener.close();
  }
}
