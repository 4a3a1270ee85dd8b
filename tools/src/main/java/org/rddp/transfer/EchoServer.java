package org.rddp.transfer;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.Completion;
import org.rddp.client.types.Opcode;
import org.rddp.rig.AdvertisedBuffer;

/**
 * Sends every message back, and advertises to each peer a buffer of its own to write, for tests of
 * any peer. The buffer's STag, Tagged Offset and length are the 20 octets of private data in the
 * MPA Reply.
 */
public final class EchoServer {
  /** Octets of the buffer that a peer may write. */
  public static final int BUFFER = 64 << 10;

  private static final int SLOTS = 32;
  private static final int BATCH = 64;

  /** Polls of the session between two polls for new and ended connections. */
  private static final int POLLS = 2_000;

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Rddp session;
  private final int longest;
  private final Consumer<String> log;
  private final Map<Integer, Peer> peers = new HashMap<>();

  /**
   * A server.
   *
   * @param longest octets of the longest message
   * @param log gets a line for each new and each ended connection
   */
  public EchoServer(Rddp session, int longest, Consumer<String> log) {
    this.session = session;
    this.longest = longest;
    this.log = log;
  }

  /** A peer: its buffer, and slots to receive into and to send from. */
  private final class Peer {
    final Connection connection;
    final MemoryRegion buffer;
    final MemoryRegion slots;

    Peer(Connection connection) {
      this.connection = connection;
      buffer =
          session.allocate(BUFFER, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
      slots = session.allocate((long) SLOTS * longest, Access.LOCAL_WRITE);
      for (int i = 0; i < SLOTS; i++) {
        receive(i);
      }
    }

    void receive(int slot) {
      connection.postReceive(slot, slots, (long) slot * longest, longest);
    }

    void onCompletion(Completion completion) {
      if (!completion.isSuccess()) {
        return;
      }
      int slot = (int) completion.id();
      if (completion.opcode() == Opcode.RECEIVE) {
        connection.postSend(slot, slots, (long) slot * longest, completion.octets());
      } else {
        receive(slot);
      }
    }

    void free() {
      buffer.close();
      slots.close();
    }
  }

  /** Serves until the thread is interrupted. */
  public void serve(int port) {
    try (Listener listener = session.listen(port)) {
      while (!Thread.currentThread().isInterrupted()) {
        if (poll() == 0) {
          session.await(PAUSE);
        }
        IncomingConnection incoming = listener.poll();
        if (incoming != null) {
          accept(incoming);
        }
        removeEnded();
      }
    } catch (RddpException e) {
      // An interrupt also ends a request that waits for the daemon's answer.
      if (!Thread.currentThread().isInterrupted()) {
        throw e;
      }
    }
  }

  /** Answers messages, for a bounded number of polls: a busy peer must not delay others. */
  private int poll() {
    int answered = 0;
    for (int polls = 0; polls < POLLS; polls++) {
      answered += session.poll(this::onCompletion, BATCH);
    }
    return answered;
  }

  private void onCompletion(Completion completion) {
    Peer peer = peers.get(completion.connection());
    if (peer != null && peer.connection.isOpen()) {
      peer.onCompletion(completion);
    }
  }

  private void accept(IncomingConnection incoming) {
    Connection connection = incoming.connection();
    try {
      Peer peer = new Peer(connection);
      peers.put(connection.id(), peer);
      incoming.accept(AdvertisedBuffer.of(peer.buffer).toPrivateData());
      log.accept("peer " + incoming.remoteAddress());
    } catch (SessionLostException e) {
      throw e;
    } catch (RddpException e) {
      log.accept("no connection with " + incoming.remoteAddress() + ": " + e.getMessage());
    }
  }

  private void removeEnded() {
    peers
        .values()
        .removeIf(peer -> {
          Connection connection = peer.connection;
          if (connection.isPeerClosed() && connection.isOpen()) {
            disconnect(connection);
          }
          boolean over = connection.closeReason() != null;
          if (over) {
            log.accept("end of " + connection + ": " + connection.closeReason());
            peer.free();
          }
          return over;
        });
  }

  private void disconnect(Connection connection) {
    try {
      connection.disconnect();
    } catch (SessionLostException e) {
      throw e;
    } catch (RddpException e) {
      log.accept("cannot close " + connection + ": " + e.getMessage());
    }
  }
}
