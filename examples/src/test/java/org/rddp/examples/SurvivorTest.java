package org.rddp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Listener;
import org.rddp.client.RddpOptions;
import org.rddp.daemon.DaemonProcess;

/** The example of programs that outlive their daemon, with a daemon that is killed. */
@Timeout(120)
class SurvivorTest {
  private static final int SOME = 10;
  private static final int MANY = 200;

  @TempDir private Path directory;
  private final AtomicBoolean over = new AtomicBoolean();
  private final CountDownLatch someDrawn = new CountDownLatch(SOME);
  private final CountDownLatch killed = new CountDownLatch(1);

  private Survivor open(String interfaceName) {
    return new Survivor(
        DaemonProcess.socket(directory), RddpOptions.defaults().withInterfaceName(interfaceName));
  }

  private CompletableFuture<Void> serve(Survivor owner, Listener listener) {
    return CompletableFuture.runAsync(
        () -> {
          while (!over.get()) {
            owner.serve(listener);
          }
        },
        SurvivorTest::start);
  }

  private List<Long> draw(Survivor client, InetSocketAddress address) {
    List<Long> drawn = new ArrayList<>();
    while (drawn.size() < MANY) {
      drawn.add(client.next(address));
      someDrawn.countDown();
      if (drawn.size() == MANY / 2) {
        try {
          killed.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
    return drawn;
  }

  private static void start(Runnable program) {
    Thread.ofPlatform().daemon().start(program);
  }

  @Test
  void shouldGoOnCountingWhenTheDaemonIsKilled() throws Exception {
    DaemonProcess daemon = DaemonProcess.start(directory);
    try {
      Survivor owner = open("two");
      Survivor client = open("one");
      Listener listener = owner.listen(0);
      CompletableFuture<Void> server = serve(owner, listener);
      InetSocketAddress address = new InetSocketAddress("10.0.0.2", listener.address().getPort());
      CompletableFuture<List<Long>> drawn =
          CompletableFuture.supplyAsync(() -> draw(client, address), SurvivorTest::start);
      someDrawn.await();
      daemon.kill();
      killed.countDown();
      daemon = DaemonProcess.start(directory);

      assertThat(drawn.join()).startsWith(0L, 1L, 2L).isSorted().doesNotHaveDuplicates();
      assertThat(client.losses()).isEqualTo(1);
      assertThat(owner.losses()).isEqualTo(1);
      over.set(true);
      server.join();
    } finally {
      daemon.close();
    }
  }
}
