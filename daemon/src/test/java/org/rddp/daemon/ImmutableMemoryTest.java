package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.UnsafeMemoryException;

/**
 * Memory that a daemon with CAP_LINUX_IMMUTABLE makes: a program of another user, which has a
 * descriptor for writing and a mapping, punches no hole, and another daemon can map it.
 */
@Timeout(60)
class ImmutableMemoryTest {
  private static final int NOBODY = 65534;
  private static final int OCTETS = 8 << 20;

  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;
  private static final int COLLAPSE_RANGE = 8;
  private static final int ZERO_RANGE = 16;
  private static final int INSERT_RANGE = 32;
  private static final int UNSHARE_RANGE = 64;
  private static final int MADV_REMOVE = 9;
  private static final int MADV_POPULATE_WRITE = 23;
  private static final int MADV_COLLAPSE = 25;
  private static final long SET_FLAGS = 0x40086602L;
  private static final int EOPNOTSUPP = 95;
  private static final int O_RDWR = 2;
  private static final int O_TRUNC = 0x200;

  private static final SystemCall FALLOCATE = SystemCall.bind("fallocate", "i:iill");
  private static final SystemCall FTRUNCATE = SystemCall.bind("ftruncate", "i:il");
  private static final SystemCall MADVISE = SystemCall.bind("madvise", "i:lli");
  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");
  private static final SystemCall OPEN = SystemCall.bind("open", "i:li");

  private TestDaemon daemon;
  private RawProgram program;

  /** The program's mapping, and its descriptor. */
  private SharedMemory memory;

  private int number;

  @BeforeEach
  void allocate() throws Exception {
    assumeThat(SharedMemory.canBeImmutable()).as("CAP_LINUX_IMMUTABLE is there").isTrue();
    daemon = new TestDaemon("mode = \"0666\"");
    Files.setPosixFilePermissions(
        daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
    OtherUser.call(
        NOBODY,
        () -> {
          program = new RawProgram(daemon.socket());
          program.begin("one");
          DaemonMessage.MemoryAllocated allocated =
              (DaemonMessage.MemoryAllocated)
                  program.request(request -> new ProgramMessage.AllocateMemory(request, OCTETS));
          number = allocated.memory();
          memory = SharedMemory.map(allocated.descriptor());
          return null;
        });
  }

  @AfterEach
  void end() {
    if (program != null) {
      program.close();
      memory.close();
      daemon.close();
    }
  }

  private DaemonMessage share() throws IOException {
    return program.request(request -> new ProgramMessage.ShareMemory(request, number));
  }

  /** Before the memory is shared and afterwards: the engine must not depend on the time between. */
  @Test
  void shouldWithstandAProgramOfAnotherUser() throws Exception {
    OtherUser.call(NOBODY, this::attack);
    assertThat(share()).isInstanceOf(DaemonMessage.Done.class);
    memory.segment().fill((byte) 7);
    OtherUser.call(NOBODY, this::attack);
    assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, OCTETS - 1)).isEqualTo((byte) 7);
  }

  private Void attack() {
    int file = memory.descriptor().number();
    for (int mode :
        List.of(
            PUNCH_HOLE | KEEP_SIZE,
            ZERO_RANGE,
            ZERO_RANGE | KEEP_SIZE,
            COLLAPSE_RANGE,
            INSERT_RANGE,
            UNSHARE_RANGE)) {
      assertThat(FALLOCATE.attempt(file, mode, 0, OCTETS))
          .as("fallocate with mode " + mode)
          .isIn((long) -Errno.EPERM, (long) -EOPNOTSUPP);
    }
    assertThat(FALLOCATE.attempt(file, PUNCH_HOLE | KEEP_SIZE, 0, OCTETS)).isEqualTo(-Errno.EPERM);
    assertThat(MADVISE.attempt(memory.address(), OCTETS, MADV_REMOVE)).isEqualTo(-Errno.EPERM);
    assertThat(FTRUNCATE.attempt(file, 0)).isEqualTo(-Errno.EPERM);
    assertThat(FTRUNCATE.attempt(file, 2L * OCTETS)).isEqualTo(-Errno.EPERM);
    assertThat(MADVISE.attempt(memory.address(), OCTETS, MADV_POPULATE_WRITE)).isZero();
    // Waits for nobody where the kernel has no huge pages for shared memory.
    assertThat(MADVISE.attempt(memory.address(), OCTETS, MADV_COLLAPSE)).isLessThanOrEqualTo(0);
    try (Arena arena = Arena.ofConfined()) {
      long none = arena.allocate(ValueLayout.JAVA_LONG).address();
      assertThat(IOCTL.attempt(file, SET_FLAGS, none)).as("undoing it").isEqualTo(-Errno.EPERM);
      long path = arena.allocateFrom("/proc/self/fd/" + file).address();
      assertThat(OPEN.attempt(path, O_RDWR)).isNegative();
      assertThat(OPEN.attempt(path, O_RDWR | O_TRUNC)).isNegative();
    }
    assertThat(memory.isImmutable()).isTrue();
    return null;
  }

  /** Also not by the daemon's own user, whose mode lets it open the file. */
  @Test
  void shouldNotBeOpenedAnewForWriting() throws Exception {
    try (SharedMemory own = SharedMemory.createImmutable("own", OCTETS);
        Arena arena = Arena.ofConfined()) {
      long path = arena.allocateFrom("/proc/self/fd/" + own.descriptor().number()).address();
      assertThat(OPEN.attempt(path, O_RDWR)).isEqualTo(-Errno.EPERM);
    }
  }

  @Test
  void shouldLetASuccessorMapWhatAProgramHas() throws Exception {
    assertThat(share()).isInstanceOf(DaemonMessage.Done.class);
    memory.segment().set(ValueLayout.JAVA_INT, 4096, 42);
    try (SharedMemory successors = SharedMemory.map(memory.descriptor().duplicate())) {
      assertThat(successors.forbidsHoles()).isTrue();
      successors.populate(0, OCTETS);
      assertThat(successors.segment().get(ValueLayout.JAVA_INT, 4096)).isEqualTo(42);
      successors.segment().set(ValueLayout.JAVA_INT, 0, 43);
    }
    assertThat(memory.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(43);
  }

  @Test
  void shouldSayWhenMemoryCannotBeImmutable() throws Exception {
    String line = "programs copy their memory";
    TestDaemon with = new TestDaemon();
    TestDaemon without = WithoutImmutable.call(TestDaemon::new);
    // Their logs are complete then.
    with.close();
    without.close();
    assertThat(with.log()).contains("the daemon has ended").doesNotContain(line);
    assertThat(without.log()).contains(line);
  }

  /** A program of a former version adds the seal. It stays, so nobody can map the memory anew. */
  @Test
  void shouldServeAProgramThatSealsItsMemory() throws Exception {
    memory.seal();
    assertThat(share()).isInstanceOf(DaemonMessage.Done.class);
    assertThatThrownBy(() -> SharedMemory.map(memory.descriptor().duplicate()))
        .isInstanceOf(UnsafeMemoryException.class);
  }
}
