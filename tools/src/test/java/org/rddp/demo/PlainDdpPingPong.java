package org.rddp.demo;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.DdpQueues;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;

/** Two programs on one thread that exchange a Tagged and an Untagged Message per round trip. */
final class PlainDdpPingPong implements AutoCloseable {
  private static final ConnectionOptions OPTIONS =
      ConnectionOptions.plainDdp(1, 4).withTaggedNotices(4);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int OCTETS = 64;
  private static final int QN = 1;

  /** One program. */
  private static final class Side {
    private final Rddp session;
    private final MemoryRegion memory;
    private final CompletionHandler handler = this::onCompletion;
    private Connection connection;
    private DdpQueues ddp;
    private int remoteStag;
    private long received;

    Side(Rddp session) {
      this.session = session;
      memory = session.allocate(4096, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    void begin(Connection established, Side peer) {
      connection = established;
      ddp = connection.ddp();
      remoteStag = peer.memory.stag();
      for (int i = 0; i < 4; i++) {
        check(ddp.postReceive(QN, i, memory, 1024, OCTETS));
        check(ddp.postTaggedNotice(i));
      }
    }

    /** An assertion that allocates nothing. */
    private static void check(boolean posted) {
      if (!posted) {
        throw new AssertionError("a queue is full");
      }
    }

    void send() {
      check(ddp.postTagged(1, memory, 0, OCTETS, remoteStag, 2048, 0x55, 0));
      check(ddp.postUntagged(QN, 2, memory, 0, OCTETS, 0x66_7788_99aaL, SendFlags.SIGNALLED));
    }

    private void onCompletion(Completion completion) {
      if (!completion.isSuccess()) {
        throw new IllegalStateException(completion.toString());
      }
      if (completion.opcode() == Opcode.RECEIVE_UNTAGGED) {
        received++;
        check(ddp.postReceive(QN, 1, memory, 1024, OCTETS));
      } else if (completion.opcode() == Opcode.TAGGED_NOTICE) {
        received++;
        check(ddp.postTaggedNotice(2));
      }
    }
  }

  private final Side near;
  private final Side far;

  /** Connects two programs; {@code there} listens. */
  PlainDdpPingPong(Rddp here, Rddp there, InetSocketAddress address) {
    near = new Side(here);
    far = new Side(there);
    try (Listener listener = there.listen(new InetSocketAddress(address.getPort()), 1, OPTIONS)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      near.begin(here.connect(address, PrivateData.NONE, TIMEOUT, OPTIONS), far);
      far.begin(accepted.join(), near);
    }
  }

  /** Runs a number of round trips of two messages. */
  void run(int count) {
    for (int i = 0; i < count; i++) {
      turn(near, far);
      turn(far, near);
    }
  }

  private void turn(Side from, Side to) {
    long expected = to.received + 2;
    from.send();
    long start = System.nanoTime();
    while (to.received < expected) {
      near.session.poll(near.handler, 16);
      far.session.poll(far.handler, 16);
      if (System.nanoTime() - start > TIMEOUT.toNanos()) {
        throw new IllegalStateException("a message has not arrived for " + TIMEOUT);
      }
    }
  }

  @Override
  public void close() {
    near.connection.close();
    far.connection.close();
  }
}
