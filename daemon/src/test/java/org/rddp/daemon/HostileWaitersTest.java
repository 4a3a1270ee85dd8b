package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.SharedMemory;

/** Programs that use the waiters of octet streams as the library does not. */
@Timeout(60)
class HostileWaitersTest {
  private final TestDaemon daemon = new TestDaemon();

  @AfterEach
  void close() {
    daemon.close();
  }

  private RawProgram begin() throws IOException {
    RawProgram program = new RawProgram(daemon.socket());
    DaemonMessage.SocketsWelcome welcome =
        (DaemonMessage.SocketsWelcome)
            program.request(
                number -> new ProgramMessage.SocketsHello(number, ControlMessage.VERSION, "raw"));
    welcome.wake().close();
    try (SharedMemory doorbells = SharedMemory.map(welcome.doorbells())) {
      doorbells.forbidHoles();
      program.request(
          number -> new ProgramMessage.ShareMemory(number, ProgramMessage.ShareMemory.RINGS));
    }
    return program;
  }

  private static Reason share(RawProgram program, int waiter) throws IOException {
    return program.refusal(number -> new ProgramMessage.ShareMemory(number, waiter));
  }

  /** Engines that forget the waiter may not be told of it once more: its memory is unmapped. */
  @Test
  void shouldNotShareAWaiterWhoseSocketIsClosed() throws Exception {
    CountDownLatch forget = new CountDownLatch(1);
    try (RawProgram program = begin()) {
      DaemonMessage.StreamWaiting waiting =
          (DaemonMessage.StreamWaiting) program.request(ProgramMessage.StreamWaiter::new);
      try (SharedMemory bells = SharedMemory.map(waiting.bells())) {
        bells.forbidHoles();
        daemon.daemon().engines().forEach(engine -> engine.execute(() -> await(forget)));
        waiting.wake().close();
        for (int i = 0; i < 3; i++) {
          assertThat(share(program, 200)).isEqualTo(Reason.NOT_FOUND);
        }
        assertThat(share(program, waiting.waiter())).isEqualTo(Reason.NOT_FOUND);
      } finally {
        forget.countDown();
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
