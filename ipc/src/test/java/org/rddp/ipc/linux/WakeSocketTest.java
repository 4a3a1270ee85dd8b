package org.rddp.ipc.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wakes programs, also hostile ones that try to block the daemon. */
@Timeout(60)
class WakeSocketTest {
  private static final int F_SETFL = 4;
  private static final int SHUT_RDWR = 2;

  private final WakeSocket sender;
  private final WakeSocket receiver;
  private final PollSet poll = new PollSet();

  WakeSocketTest() throws SystemCallException {
    WakeSocket[] ends = WakeSocket.pair();
    sender = ends[0];
    receiver = ends[1];
    poll.add(receiver.descriptor());
  }

  @AfterEach
  void close() {
    sender.close();
    receiver.close();
  }

  @Test
  void shouldStaySignalledUntilCleared() throws Exception {
    assertThat(poll.await(0)).isZero();
    sender.signal();
    sender.signal();
    assertThat(poll.await(-1)).isEqualTo(1);
    assertThat(poll.await(-1)).isEqualTo(1);
    receiver.clear();
    receiver.clear();
    assertThat(poll.await(1)).isZero();
  }

  @Test
  void shouldWakeAWaitingProgram() throws Exception {
    Thread signaller = Thread.ofPlatform().start(sender::signal);
    assertThat(poll.await(-1)).isEqualTo(1);
    signaller.join();
  }

  @Test
  void shouldSignalInBothDirections() throws Exception {
    receiver.signal();
    assertThat(poll.await(0)).as("the end that signals").isZero();
    PollSet other = new PollSet();
    other.add(sender.descriptor());
    assertThat(other.await(0)).isEqualTo(1);
    sender.clear();
    assertThat(other.await(0)).isZero();
  }

  @Test
  void shouldNotBlockIfSignalsAreNotCleared() throws Exception {
    SystemCall.bind("fcntl", "i:ii.i").call(receiver.descriptor().number(), F_SETFL, 0);
    for (int i = 0; i < 10_000; i++) {
      sender.signal();
    }
    assertThat(poll.await(0)).isEqualTo(1);
    receiver.clear();
    assertThat(poll.await(1)).isZero();
    sender.signal();
    assertThat(poll.await(0)).isEqualTo(1);
  }

  @Test
  void shouldNotBlockIfTheProgramFillsItsEnd() throws Exception {
    SystemCall send = SystemCall.bind("send", "l:illi");
    try (Arena arena = Arena.ofConfined()) {
      long octets = arena.allocate(4096).address();
      long sent = 1;
      while (sent > 0) {
        sent = send.attempt(receiver.descriptor().number(), octets, 4096, 0);
      }
      assertThat(sent).isEqualTo(-Errno.EAGAIN);
    }
    sender.signal();
    assertThat(poll.await(0)).isEqualTo(1);
  }

  /** The call must neither raise SIGPIPE, which would end the process, nor report EPIPE. */
  @Test
  void shouldIgnoreTheEndOfTheProgram() throws Exception {
    SystemCall.bind("shutdown", "i:ii").call(receiver.descriptor().number(), SHUT_RDWR);
    sender.signal();
    receiver.close();
    sender.signal();
  }

  @Test
  void shouldWakeTheProgramAtTheEndOfTheDaemon() throws Exception {
    sender.close();
    assertThat(poll.await(0)).isEqualTo(1);
    receiver.clear();
    assertThatThrownBy(sender::signal).isInstanceOf(IllegalStateException.class);
  }
}
