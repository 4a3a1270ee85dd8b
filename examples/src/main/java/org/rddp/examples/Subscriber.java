package org.rddp.examples;

import static org.rddp.examples.Publisher.SLOT;
import static org.rddp.examples.Publisher.SLOTS;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;

/** Gets what a {@link Publisher} publishes. */
public final class Subscriber {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** The publisher, which accepts, sends first; numbers wait until a receive is posted. */
  private static final ConnectionOptions OPTIONS =
      ConnectionOptions.DEFAULTS.withPeerToPeer(true).withHeldOctets(1 << 16);

  private Subscriber() {}

  /** Subscribes, and passes this many texts on, in the order in which they were published. */
  public static void subscribe(
      Rddp session, InetSocketAddress publisher, int texts, Consumer<String> to) {
    try (MemoryRegion slots =
            session.allocate(SLOTS * SLOT, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion numbers = session.allocate(8, Access.LOCAL_WRITE);
        Connection connection =
            session.connect(publisher, RemoteBuffer.of(slots).toPrivateData(), TIMEOUT, OPTIONS)) {
      int[] count = new int[2]; // texts received, receives posted
      while (count[0] < texts) {
        int before = count[0];
        while (count[1] < before + SLOTS && connection.postReceive(0, numbers, 0, 8)) {
          count[1]++;
        }
        int polled =
            session.poll(
                completion -> {
                  if (!completion.isSuccess()) {
                    throw new IllegalStateException("no longer subscribed: " + completion);
                  }
                  long at = (long) (count[0]++ % SLOTS) * SLOT;
                  MemorySegment text = slots.segment().asSlice(at, completion.immediate());
                  to.accept(StandardCharsets.UTF_8.decode(text.asByteBuffer()).toString());
                },
                texts - before);
        for (int taken = before; taken < count[0]; taken++) {
          connection.blocking().send(numbers, 0, 0, TIMEOUT);
        }
        if (polled == 0) {
          session.await(TIMEOUT);
        }
      }
    }
  }
}
