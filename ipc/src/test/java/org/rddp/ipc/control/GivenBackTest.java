package org.rddp.ipc.control;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ipc.linux.PairedSocket;

@Timeout(20)
class GivenBackTest {
  private final int user = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
  private final PairedSocket[] ends = PairedSocket.ofMessages("test");

  GivenBackTest() throws Exception {
    GivenBack.expect(ends[0]);
  }

  @AfterEach
  void close() {
    ends[0].close();
    ends[1].close();
  }

  private void send(String text) {
    try (Arena arena = Arena.ofConfined()) {
      ends[1].send(arena.allocateFrom(text, US_ASCII).address(), text.length());
    }
  }

  @Test
  void shouldBeSaidByTheUserOnly() {
    GivenBack.say(ends[1]);
    assertThat(GivenBack.isSaid(ends[0], user)).isTrue();
    assertThat(GivenBack.isSaid(ends[0], user)).isFalse();
    GivenBack.say(ends[1]);
    assertThat(GivenBack.isSaid(ends[0], user + 1)).isFalse();
  }

  /** What the program has not received is lost, and the kernel tells that first. */
  @Test
  void shouldBeSaidBeforeTheSocketIsClosed() {
    ends[0].signal();
    send("f");
    GivenBack.say(ends[1]);
    ends[1].close();
    assertThat(GivenBack.isSaid(ends[0], user)).isTrue();
  }

  @Test
  void shouldNotBeSaidByOtherMessages() {
    assertThat(GivenBack.isSaid(ends[0], user)).isFalse();
    for (String each : new String[] {"f", "given bac", "given bacK", "given back!"}) {
      send(each);
      assertThat(GivenBack.isSaid(ends[0], user)).as(each).isFalse();
    }
    GivenBack.say(ends[1]);
    send("f");
    assertThat(GivenBack.isSaid(ends[0], user)).isFalse();
    ends[0].close();
    assertThat(GivenBack.isSaid(ends[0], user)).isFalse();
  }

  @Test
  void shouldNotBeBelievedWhereTheKernelDoesNotTellTheUser() throws Exception {
    PairedSocket[] others = PairedSocket.ofMessages("test");
    GivenBack.say(others[1]);
    assertThat(GivenBack.isSaid(others[0], 0)).isFalse();
    others[0].close();
    others[1].close();
  }
}
