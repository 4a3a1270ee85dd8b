package org.rddp.examples;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;

/**
 * Requests and replies, from many clients to one server with one thread. All connections take their
 * receives from one shared queue, so the server's memory does not grow with the number of clients.
 * A slot is posted as a receive, then as the send of the reply, then as a receive again.
 */
public final class RequestReply {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int SLOT = 1024;

  private RequestReply() {}

  /** Answers each text with its upper case. */
  public static final class Server implements AutoCloseable {
    private final Rddp session;
    private final MemoryRegion slots;
    private final SharedReceiveQueue receives;
    private final Listener listener;
    private final List<Connection> clients = new ArrayList<>();

    /** A server that works on this many requests at a time. Port 0: any free one. */
    public Server(Rddp session, int port, int atATime) {
      this.session = session;
      slots = session.allocate((long) atATime * SLOT, Access.LOCAL_WRITE);
      receives = session.createSharedReceiveQueue(atATime);
      for (int slot = 0; slot < atATime; slot++) {
        receive(slot);
      }
      // Requests without a receive wait in the daemon, which slows their senders down.
      ConnectionOptions options =
          ConnectionOptions.DEFAULTS.withReceiveQueue(receives).withHeldOctets(64 * SLOT);
      listener = session.listen(new InetSocketAddress(port), 16, options);
    }

    /** Its port. */
    public int port() {
      return listener.address().getPort();
    }

    /** Answers what has come; waits if there is nothing. */
    public void serve(Duration patience) {
      if (session.poll(this::onCompletion, 64) == 0) {
        session.await(patience);
      }
      for (IncomingConnection next = listener.poll(); next != null; next = listener.poll()) {
        Peers.accept(next, PrivateData.NONE, clients);
      }
      clients.removeIf(Peers::hasLeft);
    }

    private void onCompletion(Completion completion) {
      long slot = completion.id();
      if (completion.opcode() != Opcode.RECEIVE || !completion.isSuccess()) {
        receive(slot); // the reply has been sent, or the connection has ended
        return;
      }
      MemorySegment text = slots.segment().asSlice(slot * SLOT, completion.octets());
      String request = StandardCharsets.UTF_8.decode(text.asByteBuffer()).toString();
      byte[] reply = request.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
      int length = Math.min(reply.length, SLOT);
      MemorySegment.copy(reply, 0, slots.segment(), ValueLayout.JAVA_BYTE, slot * SLOT, length);
      Connection client = completion.connection();
      if (!client.postSend(slot, slots, slot * SLOT, length)) {
        client.abort(); // it asks faster than it takes the replies
        receive(slot);
      }
    }

    private void receive(long slot) {
      if (!receives.postReceive(slot, slots, slot * SLOT, SLOT)) {
        throw new IllegalStateException("there are as many receives as slots");
      }
    }

    @Override
    public void close() {
      listener.close();
    }
  }

  /** Asks the server once. */
  public static String ask(Rddp session, InetSocketAddress server, String question) {
    ConnectionOptions options = ConnectionOptions.DEFAULTS.withHeldOctets(SLOT);
    try (MemoryRegion memory = session.allocate(2 * SLOT, Access.LOCAL_WRITE);
        Connection peer = session.connect(server, PrivateData.NONE, TIMEOUT, options)) {
      byte[] octets = question.getBytes(StandardCharsets.UTF_8);
      MemorySegment.copy(octets, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, octets.length);
      peer.blocking().send(memory, 0, octets.length, TIMEOUT);
      long length = peer.blocking().receive(memory, SLOT, SLOT, TIMEOUT);
      byte[] answer = memory.segment().asSlice(SLOT, length).toArray(ValueLayout.JAVA_BYTE);
      return new String(answer, StandardCharsets.UTF_8);
    }
  }
}
