package org.rddp.example;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.LostSession;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.Reconnect;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;

/**
 * Counts in a peer's memory, and goes on counting where it was when the daemon is killed or
 * replaced. Each number is written and read back; only what was read back is known to be there.
 */
public final class Survivor implements Reconnect {
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final InetSocketAddress sink;
  private final Rddp rddp;
  private final MemoryRegion memory;
  private Connection peer;
  private boolean posted;
  private int losses;

  /** Opens a session that outlives its daemon. */
  public Survivor(Path socket, RddpOptions options, InetSocketAddress sink) {
    this.sink = sink;
    rddp = Rddp.connect(socket, options.withReconnect(this));
    memory = rddp.allocate(16, Access.LOCAL_WRITE);
  }

  @Override
  public void onLost(LostSession lost) {
    losses++;
    peer = null; // lost.connections() has it
    posted = false; // lost.requests() has the write and the read: do them again
  }

  @Override
  public void onRestored(Rddp session) {
    // The memory has its contents and its address. count() opens a connection, and learns the
    // peer's new STag by that.
  }

  /** Counts from 1 to {@code last} in the memory whose STag and Tagged Offset the peer names. */
  public int count(int last) {
    while (confirmed() < last) {
      try {
        if (peer == null || !peer.isOpen()) {
          peer = rddp.connect(sink, PrivateData.NONE, TIMEOUT);
          posted = false;
        }
        post(confirmed() + 1);
      } catch (SessionLostException | ConnectionFailedException notNow) {
        peer = null; // The daemon is gone, or the peer is not back yet: await() goes on.
      }
      rddp.await(PAUSE);
      rddp.poll(this::completed, 16);
    }
    return losses;
  }

  /** The last number that was read back; it is in registered memory, and survives with it. */
  public long confirmed() {
    return memory.segment().get(ValueLayout.JAVA_LONG, 8);
  }

  private void post(long number) {
    if (posted) {
      return;
    }
    ByteBuffer named = ByteBuffer.wrap(peer.privateData().toByteArray());
    int stag = named.getInt();
    long to = named.getLong();
    memory.segment().set(ValueLayout.JAVA_LONG, 0, number);
    posted =
        peer.postWrite(1, memory, 0, 8, stag, to, 0)
            && peer.postRead(2, memory, 8, 8, stag, to, SendFlags.SIGNALLED);
  }

  private void completed(Completion completion) {
    if (completion.opcode() == Opcode.READ || !completion.isSuccess()) {
      posted = false;
    }
  }
}
