package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.CounterReader;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Programs that request descriptors and do not receive them: the kernel limits those on their way
 * for each user without privileges (ETOOMANYREFS).
 */
@Timeout(120)
class DescriptorsInFlightTest {
  private static final int RLIMIT_NOFILE = 7;
  private static final int DESCRIPTORS = 256;

  /** More than have room, with two descriptors each. */
  private static final int SESSIONS = DESCRIPTORS / 2 + 8;

  private static final int CAPABILITY_VERSION = 0x2008_0522;

  /** A daemon without capabilities, as if an ordinary user had started it. */
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) throws IOException {
      // The threads that this one creates have no capabilities either.
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment header = arena.allocate(8, 8);
        header.set(ValueLayout.JAVA_INT, 0, CAPABILITY_VERSION);
        SystemCall capset = SystemCall.bind("capset", "i:ll");
        capset.call(header.address(), arena.allocate(24, 8).address());
        MemorySegment limits = arena.allocate(ValueLayout.JAVA_LONG, 2);
        limits.setAtIndex(ValueLayout.JAVA_LONG, 0, DESCRIPTORS);
        limits.setAtIndex(ValueLayout.JAVA_LONG, 1, DESCRIPTORS);
        SystemCall.bind("setrlimit", "i:il").call(RLIMIT_NOFILE, limits.address());
      }
      System.out.println(new TestDaemon().socket());
      while (System.in.read() >= 0) {
        // Until the test ends.
      }
      System.exit(0);
    }
  }

  @Test
  void shouldServeOthersWhileProgramsDoNotReceiveDescriptors() throws Exception {
    Process server = ChildJvm.start(Server.class);
    Path socket = Path.of(ChildJvm.firstLine(server));
    List<RawProgram> silent = new ArrayList<>();
    try (Rddp first = Rddp.connect(socket, RddpOptions.defaults())) {
      for (int i = 0; i < 6; i++) {
        RawProgram program = new RawProgram(socket);
        requestCounters(program);
        silent.add(program);
      }
      try (MemoryRegion region = first.allocate(4096);
          Rddp second = Rddp.connect(socket, RddpOptions.defaults());
          MemoryRegion other = second.allocate(8 << 20)) {
        assertThat(region.length()).isEqualTo(4096);
        assertThat(other.length()).isEqualTo(8 << 20);
      }
    }
    silent.forEach(RawProgram::close);
    stop(server, socket);
  }

  /** Opens and closes sessions, and receives nothing; its ends of the sockets stay open. */
  static final class ReconnectingProgram {
    private static final int POLLHUP = 16;

    private ReconnectingProgram() {}

    public static void main(String[] arguments) throws IOException {
      Path socket = Path.of(arguments[0]);
      List<RawProgram> ends = new ArrayList<>();
      for (int i = 0; i < SESSIONS; i++) {
        RawProgram program = new RawProgram(socket);
        program.socket().send(RawProgram.hello(1, "one"));
        try {
          program.socket().send(new ProgramMessage.CloseSession(2));
        } catch (SystemCallException e) {
          assertThat(e.errno()).as("refused already").isEqualTo(Errno.EPIPE);
        }
        awaitEnd(program);
        ends.add(program);
      }
      System.out.println("connected " + ends.size() + " times");
      while (System.in.read() >= 0) {
        // Until the test ends.
      }
      ends.forEach(RawProgram::close);
    }

    /** Waits until the daemon has ended the connection, without receiving anything. */
    private static void awaitEnd(RawProgram program) throws IOException {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment polled = arena.allocate(8, 4);
        polled.set(ValueLayout.JAVA_INT, 0, program.socket().descriptor().number());
        long ready = SystemCall.bind("poll", "i:lli").call(polled.address(), 1, 10_000);
        if (ready != 1 || (polled.get(ValueLayout.JAVA_SHORT, 6) & POLLHUP) == 0) {
          throw new IOException("the daemon has not ended the connection");
        }
      }
    }
  }

  @Test
  void shouldCountASessionUntilItsDescriptorsHaveBeenReceived() throws Exception {
    Process server = ChildJvm.start(Server.class);
    Path socket = Path.of(ChildJvm.firstLine(server));
    try (Rddp first = Rddp.connect(socket)) {
      Process attacker = ChildJvm.start(ReconnectingProgram.class, socket.toString());
      assertThat(ChildJvm.firstLine(attacker)).isEqualTo("connected " + SESSIONS + " times");
      try (Rddp second = Rddp.connect(socket);
          MemoryRegion region = second.allocate(4096)) {
        assertThat(region.length()).isEqualTo(4096);
      }
      // A process may have half of the daemon's 64 sessions.
      awaitSessions(first, 33);
      attacker.getOutputStream().close();
      assertThat(attacker.waitFor()).isZero();
      awaitSessions(first, 1);
    }
    stop(server, socket);
  }

  private static void awaitSessions(Rddp session, long sessions) throws IOException {
    try (CounterReader counters = session.openCounters()) {
      long[] open = new long[1];
      TestDaemon.await(
          () -> {
            counters.forEach((name, value) -> open[0] = name.equals("sessions") ? value : open[0]);
            return open[0] == sessions;
          },
          sessions + " sessions are open");
    }
  }

  private static void stop(Process server, Path socket) throws Exception {
    server.getOutputStream().close();
    assertThat(server.waitFor()).isZero();
    Files.deleteIfExists(socket);
    Files.deleteIfExists(socket.resolveSibling(socket.getFileName() + ".next"));
    Files.deleteIfExists(socket.getParent());
  }

  /** Requests the counters' descriptor more often than the daemon may have descriptors. */
  private static void requestCounters(RawProgram program) throws IOException {
    try (SharedMemory rings = SharedMemory.map(program.hello("one").rings())) {
      rings.forbidHoles();
    }
    assertThat(program.request(number -> new ProgramMessage.ShareMemory(number, 0)))
        .isInstanceOf(DaemonMessage.Done.class);
    for (int i = 1; i <= 2 * DESCRIPTORS; i++) {
      if (!program.socket().send(new ProgramMessage.OpenCounters(i))) {
        return; // The daemon does not read on while it cannot answer.
      }
    }
  }
}
