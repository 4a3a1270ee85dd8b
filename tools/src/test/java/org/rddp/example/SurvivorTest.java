package org.rddp.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.LostSession;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RddpOptions;
import org.rddp.client.Reconnect;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.DaemonProcess;

/** The example of a program that outlives its daemon, with a daemon that is killed. */
@Timeout(120)
class SurvivorTest {
  private static final int PORT = 7471;
  private static final int MANY = 200;

  @TempDir private Path directory;
  private volatile boolean done;
  private volatile long reached;

  /** A peer whose memory the example counts in; it outlives its daemon, too. */
  private long sink(Path socket, CompletableFuture<Void> listening) {
    Reconnect quiet =
        new Reconnect() {
          @Override
          public void onLost(LostSession lost) {}

          @Override
          public void onRestored(Rddp session) {}
        };
    try (Rddp rddp =
            Rddp.connect(
                socket, RddpOptions.defaults().withInterfaceName("two").withReconnect(quiet));
        MemoryRegion memory =
            rddp.allocate(8, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        Listener listener = rddp.listen(PORT)) {
      listening.complete(null);
      while (!done) {
        IncomingConnection incoming = listener.poll();
        if (incoming != null) {
          accept(incoming, memory);
        }
        rddp.await(Duration.ofMillis(20));
        rddp.poll(completion -> {}, 16);
        reached = memory.segment().get(ValueLayout.JAVA_LONG, 0);
      }
      return memory.segment().get(ValueLayout.JAVA_LONG, 0);
    }
  }

  private static void accept(IncomingConnection incoming, MemoryRegion memory) {
    ByteBuffer named = ByteBuffer.allocate(12).putInt(memory.stag()).putLong(memory.baseTo());
    try {
      incoming.accept(PrivateData.of(named.array()));
    } catch (RddpException ended) {
      // The peer connects again.
    }
  }

  private static void start(Runnable program) {
    Thread.ofPlatform().daemon().start(program);
  }

  @Test
  void shouldGoOnCountingWhenTheDaemonIsKilled() throws Exception {
    Path socket = DaemonProcess.socket(directory);
    DaemonProcess daemon = DaemonProcess.start(directory);
    try {
      CompletableFuture<Void> listening = new CompletableFuture<>();
      CompletableFuture<Long> sink =
          CompletableFuture.supplyAsync(() -> sink(socket, listening), SurvivorTest::start);
      listening.join();
      InetSocketAddress two = new InetSocketAddress("10.0.0.2", PORT);
      CompletableFuture<Integer> losses =
          CompletableFuture.supplyAsync(
              () ->
                  new Survivor(socket, RddpOptions.defaults().withInterfaceName("one"), two)
                      .count(MANY),
              SurvivorTest::start);
      while (reached < 10) {
        assertThat(losses).isNotDone();
        LockSupport.parkNanos(100_000);
      }
      daemon.kill();
      daemon = DaemonProcess.start(directory);

      assertThat(losses.join()).isEqualTo(1);
      done = true;
      assertThat(sink.join()).isEqualTo(MANY);
    } finally {
      daemon.close();
    }
  }
}
