package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;

/** The engine's thread takes no page faults when it uses programs' memory for the first time. */
@Timeout(60)
class PageFaultsTest {
  private static final int OCTETS = 64 << 20;
  private static final int PAGES = OCTETS / 4096;

  /** Faults, minor and major, of the thread with a name: proc(5), fields 10 and 12. */
  private static long faults(String name) throws IOException {
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        if (name(task).equals(name)) {
          String stat = Files.readString(task.resolve("stat"));
          String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
          return Long.parseLong(fields[7]) + Long.parseLong(fields[9]);
        }
      }
    }
    throw new AssertionError("no thread " + name);
  }

  /** The name of a thread; empty if it has ended since its folder was found. */
  private static String name(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void shouldHaveNoFaultsOnTheEnginesThread() throws IOException {
    try (ConnectedPrograms programs = new ConnectedPrograms()) {
      transfer(programs); // loads classes, and compiles some of the code
      long before = faults("rddp-engine");
      transfer(programs);
      long faults = faults("rddp-engine") - before;
      // Each page of source and sink was used once. The JVM's own memory causes a few faults.
      assertThat(faults).isLessThan(PAGES / 100);
    }
  }

  private static void transfer(ConnectedPrograms programs) {
    try (MemoryRegion source = programs.here.allocate(OCTETS, Access.LOCAL_WRITE);
        MemoryRegion sink =
            programs.there.allocate(
                OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ)) {
      assertThat(programs.out.postWrite(1, source, 0, OCTETS, sink.stag(), sink.baseTo())).isTrue();
      assertThat(programs.out.postRead(2, source, 0, 8, sink.stag(), sink.baseTo())).isTrue();
      assertThat(completions(programs.here, 2))
          .containsExactly("write 1 SUCCESS " + OCTETS, "read 2 SUCCESS 8");
    }
  }
}
