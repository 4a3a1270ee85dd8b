package org.rddp.ipc.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventFdTest {
  @Test
  void shouldStaySignalledUntilCleared() throws IOException {
    try (EventFd event = EventFd.create()) {
      PollSet poll = new PollSet();
      int index = poll.add(event.descriptor());
      assertThat(poll.await(0)).isZero();
      assertThat(poll.isReady(index)).isFalse();

      event.signal();
      event.signal();
      assertThat(poll.await(-1)).isEqualTo(1);
      assertThat(poll.await(-1)).isEqualTo(1);
      assertThat(poll.isReady(index)).isTrue();

      event.clear();
      event.clear();
      assertThat(poll.await(1)).isZero();
    }
  }

  @Test
  void shouldWakeAWaitingThread() throws Exception {
    try (EventFd event = EventFd.create()) {
      PollSet poll = new PollSet();
      poll.add(event.descriptor());
      Thread signaller = Thread.ofPlatform().start(event::signal);
      assertThat(poll.await(-1)).isEqualTo(1);
      signaller.join();
    }
  }

  @Test
  void shouldReportWhichDescriptorIsReady() throws IOException {
    List<EventFd> events = new ArrayList<>();
    PollSet poll = new PollSet();
    for (int i = 0; i < 40; i++) {
      events.add(EventFd.create());
      assertThat(poll.add(events.get(i).descriptor())).isEqualTo(i);
    }
    events.get(37).signal();
    assertThat(poll.await(-1)).isEqualTo(1);
    for (int i = 0; i < 40; i++) {
      assertThat(poll.isReady(i)).isEqualTo(i == 37);
      events.get(i).close();
    }
    assertThatThrownBy(() -> poll.isReady(40)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> events.get(0).signal()).isInstanceOf(IllegalStateException.class);
  }
}
