package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.PollSet;

/** Which ends of programs are among the daemon's errors. */
@Timeout(60)
class OrdinaryEndsTest {
  private final TestDaemon daemon = new TestDaemon();
  private final Rddp viewer = daemon.connect("two");

  @AfterEach
  void close() {
    viewer.close();
    daemon.close();
  }

  /** The errors of the program, not those of a busy host. */
  private List<String> errorsAfterTheEnd() {
    TestDaemon.await(() -> viewer.list(ListSubject.SESSIONS).size() == 1, "the session has ended");
    return viewer.list(ListSubject.ERRORS).stream()
        .filter(error -> error.contains("\"topic\":\"session\"") && !error.contains("waking"))
        .toList();
  }

  @Test
  void shouldNotListAProgramThatClosesItsSocketWithoutClosingTheSession() throws Exception {
    try (RawProgram program = new RawProgram(daemon.socket())) {
      program.begin("one");
    }
    assertThat(errorsAfterTheEnd()).isEmpty();
  }

  /** The kernel then resets the socket: the daemon's message is lost. */
  @Test
  void shouldNotListAProgramThatEndsBeforeItHasReadAReply() throws Exception {
    try (RawProgram program = new RawProgram(daemon.socket())) {
      program.begin("one");
      ProgramMessage request = new ProgramMessage.ListInterfaces(9, ControlMessage.VERSION, 0);
      PollSet reply = new PollSet();
      reply.add(program.socket().descriptor());
      assertThat(program.socket().send(request)).isTrue();
      assertThat(reply.await(TimeUnit.SECONDS.toNanos(10))).isPositive();
    }
    assertThat(errorsAfterTheEnd()).isEmpty();
  }

  @Test
  void shouldListAProgramThatBreaksTheProtocol() throws Exception {
    try (RawProgram program = new RawProgram(daemon.socket())) {
      assertThat(program.refusal(ProgramMessage.CloseSession::new)).isEqualTo(Reason.PROTOCOL);
    }
    assertThat(errorsAfterTheEnd()).anyMatch(error -> error.contains("must be Hello"));
  }
}
