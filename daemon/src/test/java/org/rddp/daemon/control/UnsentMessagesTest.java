package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

class UnsentMessagesTest {
  private static final DaemonMessage ONE = new DaemonMessage.Done(1);
  private static final DaemonMessage TWO = new DaemonMessage.Done(2);
  private static final StartupTerms TERMS = new StartupTerms(1, false, 0, 0, 1, 1);

  private final UnsentMessages messages = new UnsentMessages();

  @Test
  void shouldTryLessAndLessOften() {
    long now = -5;
    messages.add(ONE, now);
    List<Long> pauses = new ArrayList<>();
    int[] tries = new int[1];
    for (int i = 0; i < 9; i++) {
      long pause = messages.untilNextTry(now);
      pauses.add(pause / UnsentMessages.FIRST_PAUSE);
      messages.send(now + pause - 1, message -> tries[0]++ < 0);
      assertThat(tries[0]).as("before its time").isEqualTo(i);
      now += pause;
      messages.send(now, message -> tries[0]++ < 0);
      assertThat(tries[0]).isEqualTo(i + 1);
    }
    assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 100L, 100L);
  }

  @Test
  void shouldSendInOrderAndBeginAnewAfterwards() {
    messages.add(ONE, 0);
    messages.add(TWO, 0);
    List<DaemonMessage> sent = new ArrayList<>();
    messages.send(UnsentMessages.FIRST_PAUSE, sent::add);
    assertThat(sent).containsExactly(ONE, TWO);
    assertThat(messages.isEmpty()).isTrue();
    assertThat(messages.untilNextTry(0)).isEqualTo(-1);
  }

  @Test
  void shouldTellWhenNothingHasBeenReadForTooLong() {
    messages.add(ONE, 0);
    messages.add(TWO, UnsentMessages.LONGEST_WAIT);
    assertThat(messages.waitsTooLong(UnsentMessages.LONGEST_WAIT)).isFalse();
    assertThat(messages.waitsTooLong(UnsentMessages.LONGEST_WAIT + 1)).isTrue();
    messages.send(UnsentMessages.LONGEST_WAIT + 1, ONE::equals);
    assertThat(messages.waitsTooLong(UnsentMessages.LONGEST_WAIT + 2)).as("it reads").isFalse();
    assertThat(messages.size()).isEqualTo(1);
  }

  /** Peers cause them, and the program may be stopped. */
  @Test
  void shouldLetEventsWait() {
    messages.add(requested(1), 0);
    assertThat(messages.waitsTooLong(UnsentMessages.LONGEST_WAIT + 1)).isFalse();
    messages.add(ONE, UnsentMessages.LONGEST_WAIT + 1);
    assertThat(messages.waitsTooLong(UnsentMessages.LONGEST_WAIT + 2)).isFalse();
    assertThat(messages.waitsTooLong(2 * UnsentMessages.LONGEST_WAIT + 2)).isTrue();
    messages.send(2 * UnsentMessages.LONGEST_WAIT + 2, message -> true);
    messages.add(requested(2), 2 * UnsentMessages.LONGEST_WAIT + 2);
    assertThat(messages.waitsTooLong(4 * UnsentMessages.LONGEST_WAIT)).as("no reply").isFalse();
  }

  @Test
  void shouldTakeBackARequestThatHasFailedBeforeItWasSent() {
    for (int i = 1; i <= 3; i++) {
      messages.add(requested(i), 0);
    }
    assertThat(messages.withdraw(failed(2))).isEqualTo(requested(2));
    assertThat(messages.withdraw(failed(2))).as("again").isNull();
    assertThat(messages.withdraw(new DaemonMessage.PeerClosed(1))).isNull();
    List<DaemonMessage> sent = new ArrayList<>();
    messages.send(UnsentMessages.FIRST_PAUSE, sent::add);
    assertThat(sent).containsExactly(requested(1), requested(3));
    assertThat(messages.withdraw(failed(1))).as("it has been sent").isNull();
  }

  @Test
  void shouldWaitInAnotherDaemon() {
    List<DaemonMessage> waiting =
        List.of(
            requested(1),
            new DaemonMessage.Refused(7, Reason.LIMIT, 3, "too many"),
            requested(2),
            new DaemonMessage.Closed(9, Reason.RESET, 0, ""));
    waiting.forEach(each -> messages.add(each, 0));
    SnapshotWriter writer = new SnapshotWriter();
    messages.transfer(writer, 0, each -> {});
    UnsentMessages next = new UnsentMessages();
    List<DaemonMessage> read = new ArrayList<>();
    long now = 5;
    next.transfer(new SnapshotReader(writer.finish()), now, read::add);
    assertThat(read).isEqualTo(waiting);
    assertThat(messages.size()).as("it may go on here").isEqualTo(4);
    assertThat(next.withdraw(failed(1))).isEqualTo(requested(1));
    assertThat(next.waitsTooLong(now + UnsentMessages.LONGEST_WAIT)).isFalse();
    assertThat(next.waitsTooLong(now + UnsentMessages.LONGEST_WAIT + 1)).isTrue();
    List<DaemonMessage> sent = new ArrayList<>();
    next.send(now + UnsentMessages.FIRST_PAUSE, sent::add);
    assertThat(sent).isEqualTo(waiting.subList(1, 4));
  }

  private static DaemonMessage requested(int connection) {
    IpAddress address = IpAddress.ipv4(0x0a000001);
    return new DaemonMessage.ConnectionRequested(
        1, connection, address, 7471, address, 50_000, TERMS, PrivateData.NONE);
  }

  private static DaemonMessage failed(int connection) {
    return new DaemonMessage.Failed(connection, Reason.RESET, 0, "");
  }
}
