package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.SharedMemory;

/** Programs that send requests, and go without having read the replies. */
@Timeout(120)
class UnreadRequestsTest {
  private static final int NOBODY = 65534;

  /** More than there are sessions. */
  private static final int PROGRAMS = 90;

  private static final int REQUESTS = 60;
  private static final long MEMORY = 2 << 20;

  @Test
  void shouldKeepNothingOfProgramsThatLeaveRequestsUnread() throws Exception {
    try (TestDaemon daemon = new TestDaemon("mode = \"0666\"\n")) {
      Files.setPosixFilePermissions(
          daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
      // So that what the daemon keeps for the next program is there.
      abandon(daemon.socket(), 1);
      awaitNoLinks();
      long before = openDescriptors();
      for (int round = 0; round < 2; round++) {
        abandon(daemon.socket(), PROGRAMS / 2);
        OtherUser.call(NOBODY, () -> abandon(daemon.socket(), PROGRAMS / 2));
      }
      awaitNoLinks();
      // The last one is closed after its program's thread has ended.
      TestDaemon.await(() -> openDescriptors() <= before, "the descriptors are closed");
      try (Rddp session = daemon.connect("one")) {
        // The counters show it later.
        TestDaemon.await(() -> sessions(session) == 1, "one session is open");
      }
      assertThat(daemon.log()).doesNotContain("internal error");
    }
  }

  private static long sessions(Rddp session) {
    try {
      return TestDaemon.counters(session).get("sessions");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the threads of all programs that have connected have ended. */
  private static void awaitNoLinks() {
    TestDaemon.await(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("rddp-program-")),
        "no thread of a program is left");
  }

  private static long openDescriptors() {
    try (Stream<Path> numbers = Files.list(Path.of("/proc/self/fd"))) {
      return numbers.filter(UnreadRequestsTest::isNoFile).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Files do not count: loading a class may open one. */
  private static boolean isNoFile(Path number) {
    try {
      String target = Files.readSymbolicLink(number).toString();
      return !target.startsWith("/") || target.startsWith("/memfd:");
    } catch (IOException e) {
      // It has been closed meanwhile.
      return false;
    }
  }

  /** Programs that are there at the same time; those without a session are refused. */
  private static int abandon(Path socket, int programs) throws IOException {
    List<RawProgram> all = new ArrayList<>();
    for (int i = 0; i < programs; i++) {
      RawProgram program = new RawProgram(socket);
      all.add(program);
      if (begins(program)) {
        leaveUnread(program, i);
      }
    }
    all.forEach(RawProgram::close);
    return all.size();
  }

  private static boolean begins(RawProgram program) throws IOException {
    DaemonMessage reply = program.request(number -> RawProgram.hello(number, "one"));
    if (!(reply instanceof DaemonMessage.Welcome welcome)) {
      return false;
    }
    try (SharedMemory rings = SharedMemory.map(welcome.rings())) {
      rings.forbidHoles();
      program.request(number -> new ProgramMessage.ShareMemory(number, 0));
    } finally {
      welcome.event().close();
    }
    return true;
  }

  /** The second reply with a descriptor waits; until it is sent, the daemon reads no further. */
  private static void leaveUnread(RawProgram program, int kind) throws IOException {
    for (int i = 1; i <= REQUESTS; i++) {
      boolean sent =
          program
              .socket()
              .send(
                  kind % 2 == 0
                      ? new ProgramMessage.OpenCounters(i)
                      : new ProgramMessage.AllocateMemory(i, MEMORY));
      assertThat(sent).isTrue();
    }
  }
}
