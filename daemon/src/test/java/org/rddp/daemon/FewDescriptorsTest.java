package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RddpOptions;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Reason;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.UnixSocket;

/** A daemon that runs out of descriptors goes on when there are some again. */
@Timeout(60)
class FewDescriptorsTest {
  private static final int RLIMIT_NOFILE = 7;
  private static final int LEFT = 8;

  /** A daemon that may open few more descriptors. Nothing has connected to it before. */
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) throws IOException {
      TestDaemon daemon = new TestDaemon();
      int open = count(new File("/proc/self/fd"));
      SystemCall setLimit = SystemCall.bind("setrlimit", "i:il");
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment limits = arena.allocate(ValueLayout.JAVA_LONG, 2);
        limits.setAtIndex(ValueLayout.JAVA_LONG, 0, open + LEFT);
        limits.setAtIndex(ValueLayout.JAVA_LONG, 1, open + LEFT);
        setLimit.call(RLIMIT_NOFILE, limits.address());
      }
      System.out.println(daemon.socket());
      while (System.in.read() >= 0) {
        // Until the test ends.
      }
      System.exit(0);
    }
  }

  /** More programs than the daemon has descriptors for. */
  private static List<RawProgram> connectMany(Path socket) throws Exception {
    List<RawProgram> programs = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      programs.add(new RawProgram(socket));
    }
    return programs;
  }

  @Test
  void shouldAcceptProgramsAgainWhenDescriptorsAreFree() throws Exception {
    Process server = ChildJvm.start(Server.class);
    Path socket = Path.of(ChildJvm.firstLine(server));
    File descriptors = new File("/proc/" + server.pid() + "/fd");
    int before = count(descriptors);
    List<RawProgram> programs = connectMany(socket);
    // Without descriptors for it, this session is refused; the classes that it needs were loaded.
    assertThat(programs.getFirst().socket().send(RawProgram.hello(1, "one"))).isTrue();
    programs.forEach(RawProgram::close);
    // The daemon accepts programs in their order, and closes what it has of each on a thread of its
    // own: all are gone once a later one has been served and only the eventfd that it keeps is
    // left.
    TestDaemon.await(() -> isServed(socket), "the daemon serves programs again");
    TestDaemon.await(
        () -> count(descriptors) <= before + 1, "the daemon has its descriptors again");

    try (Rddp program = Rddp.connect(socket, RddpOptions.defaults());
        Listener listener = program.listen(0);
        MemoryRegion memory = program.allocate(4096)) {
      assertThat(listener.address().getPort()).isPositive();
      assertThat(memory.length()).isEqualTo(4096);
    }
    end(server, socket);
  }

  /** A daemon that wants to take its place waits until then. */
  @Test
  void shouldAnswerToASuccessorWhenDescriptorsAreFree() throws Exception {
    Process server = ChildJvm.start(Server.class);
    Path socket = Path.of(ChildJvm.firstLine(server));
    File descriptors = new File("/proc/" + server.pid() + "/fd");
    int before = count(descriptors);
    List<RawProgram> programs = connectMany(socket);
    TestDaemon.await(() -> count(descriptors) >= before + LEFT, "no descriptors are left");
    try (PairedSocket successor = new PairedSocket(UnixSocket.open());
        Arena arena = Arena.ofConfined()) {
      UnixSocket.connect(successor.descriptor(), replacement(socket));
      assertThat(successor.send(arena.allocate(1).address(), 1)).isEqualTo(1); // No message.
      programs.forEach(RawProgram::close);
      PollSet answered = new PollSet();
      answered.add(successor.descriptor());
      assertThat(answered.await(TimeUnit.SECONDS.toNanos(20))).isEqualTo(1);
    }
    end(server, socket);
  }

  private static Path replacement(Path socket) {
    return socket.resolveSibling(socket.getFileName() + ".next");
  }

  private static void end(Process server, Path socket) throws Exception {
    server.getOutputStream().close();
    assertThat(server.waitFor()).isZero();
    Files.deleteIfExists(socket);
    Files.deleteIfExists(replacement(socket));
    Files.deleteIfExists(socket.getParent());
  }

  private static boolean isServed(Path socket) {
    try (Rddp program = Rddp.connect(socket, RddpOptions.defaults())) {
      return program != null;
    } catch (RefusedException e) {
      assertThat(e.reason()).isEqualTo(Reason.RESOURCES);
      return false;
    } catch (RddpException e) {
      // Ended before it had a session, to make room.
      return false;
    }
  }

  private static int count(File descriptors) {
    return Objects.requireNonNull(descriptors.list()).length;
  }
}
