package org.rddp.ipc.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class SharedMemoryTest {
  private static final int ALLOW_SEALING = 2;
  private static final int HUGE_PAGES = 4;
  private static final int FUTURE_WRITE = 16;
  private static final int ENOMEM = 12;
  private static final int ADD_SEALS = 1033;
  private static final int PUNCH_HOLE_KEEPING_THE_SIZE = 3;
  private static final int MADV_REMOVE = 9;
  private static final int SHRINK_AND_GROW = 6;
  private static final SystemCall MEMFD_CREATE = SystemCall.bind("memfd_create", "i:li");
  private static final SystemCall FTRUNCATE = SystemCall.bind("ftruncate", "i:il");
  private static final SystemCall FCNTL = SystemCall.bind("fcntl", "i:ii.i");
  private static final SystemCall FALLOCATE = SystemCall.bind("fallocate", "i:iill");
  private static final SystemCall MADVISE = SystemCall.bind("madvise", "i:lli");

  private static Descriptor memfd(int flags, long octets, int seals) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Descriptor made =
          Descriptor.of(MEMFD_CREATE.call(arena.allocateFrom("test").address(), flags));
      FTRUNCATE.call(made.number(), octets);
      if (seals != 0) {
        FCNTL.call(made.number(), ADD_SEALS, seals);
      }
      return made;
    }
  }

  @Test
  void shouldShareWritesBetweenBothEnds() throws IOException {
    try (SharedMemory ours = SharedMemory.create("test", 5000);
        SharedMemory theirs = SharedMemory.map(ours.descriptor().duplicate())) {
      assertThat(theirs.length()).isEqualTo(5000);
      ours.segment().set(ValueLayout.JAVA_LONG, 4992, 42);
      assertThat(theirs.segment().get(ValueLayout.JAVA_LONG, 4992)).isEqualTo(42);
      theirs.segment().set(ValueLayout.JAVA_LONG, 0, 43);
      assertThat(ours.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(43);
    }
  }

  @Test
  void shouldNeverChangeItsSize() throws IOException {
    try (SharedMemory memory = SharedMemory.create("test", 8192)) {
      int number = memory.descriptor().number();
      assertThat(FTRUNCATE.attempt(number, 4096)).isEqualTo(-Errno.EPERM);
      assertThat(FTRUNCATE.attempt(number, 16384)).isEqualTo(-Errno.EPERM);
    }
  }

  @Test
  void shouldForbidHolesAndKeepBothMappingsWritable() throws IOException {
    try (SharedMemory ours = SharedMemory.create("test", 8192);
        SharedMemory theirs = SharedMemory.map(ours.descriptor().duplicate())) {
      assertThat(ours.forbidsHoles()).isFalse();
      theirs.forbidHoles();
      assertThat(ours.forbidsHoles()).isTrue();
      ours.populate(0, 8192);
      theirs.segment().set(ValueLayout.JAVA_INT, 4096, 7);
      assertThat(ours.segment().get(ValueLayout.JAVA_INT, 4096)).isEqualTo(7);
      int number = theirs.descriptor().number();
      assertThat(FALLOCATE.attempt(number, PUNCH_HOLE_KEEPING_THE_SIZE, 0, 8192))
          .isEqualTo(-Errno.EPERM);
      assertThat(MADVISE.attempt(theirs.address(), 8192, MADV_REMOVE)).isEqualTo(-Errno.EPERM);
      assertThatThrownBy(() -> SharedMemory.map(ours.descriptor().duplicate()))
          .isInstanceOf(UnsafeMemoryException.class)
          .hasMessageContaining("register the memory once");
    }
  }

  @Test
  void shouldRejectMemoryInWhichHolesCannotBeForbidden() throws IOException {
    Descriptor sealedForGood = memfd(ALLOW_SEALING, 4096, SHRINK_AND_GROW | 1);
    assertThatThrownBy(() -> SharedMemory.map(sealedForGood))
        .isInstanceOf(UnsafeMemoryException.class)
        .hasMessageContaining("leave F_SEAL_SEAL out");
  }

  @Test
  void shouldNotLetReadersWrite() throws IOException {
    try (SharedMemory ours = SharedMemory.createForReaders("test", 4096)) {
      assertThatThrownBy(() -> SharedMemory.map(ours.descriptor().duplicate()))
          .isInstanceOf(UnsafeMemoryException.class);
      try (SharedMemory theirs = SharedMemory.mapForReading(ours.descriptor().duplicate())) {
        ours.segment().set(ValueLayout.JAVA_INT, 0, 7);
        assertThat(theirs.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(7);
      }
    }
  }

  @Test
  void shouldRejectUnsealedMemory() throws IOException {
    Descriptor unsealed = memfd(ALLOW_SEALING, 4096, 0);
    assertThatThrownBy(() -> SharedMemory.map(unsealed))
        .isInstanceOf(UnsafeMemoryException.class)
        .hasMessageContaining("F_SEAL_SHRINK");
    assertThat(unsealed.isOpen()).isFalse();
    Descriptor halfSealed = memfd(ALLOW_SEALING, 4096, 4);
    assertThatThrownBy(() -> SharedMemory.map(halfSealed))
        .isInstanceOf(UnsafeMemoryException.class);
  }

  /** Needs no huge page: none is allocated. */
  @Test
  void shouldForbidHolesInHugePages() throws IOException {
    try (Descriptor huge = memfd(ALLOW_SEALING | HUGE_PAGES, 1 << 21, SHRINK_AND_GROW)) {
      assertThat(FALLOCATE.attempt(huge.number(), PUNCH_HOLE_KEEPING_THE_SIZE, 0, 1 << 21))
          .isZero();
      FCNTL.call(huge.number(), ADD_SEALS, FUTURE_WRITE);
      assertThat(FALLOCATE.attempt(huge.number(), PUNCH_HOLE_KEEPING_THE_SIZE, 0, 1 << 21))
          .isEqualTo(-Errno.EPERM);
    }
  }

  @Test
  void shouldMapHugePages() throws IOException {
    Descriptor huge = memfd(ALLOW_SEALING | HUGE_PAGES, 1 << 21, SHRINK_AND_GROW);
    Descriptor kept = huge.duplicate();
    try (kept;
        SharedMemory memory = SharedMemory.map(huge)) {
      memory.forbidHoles();
      memory.populate(0, 1 << 21);
      assertThat(memory.lock(0, 1 << 21)).isTrue();
      memory.segment().set(ValueLayout.JAVA_INT, (1 << 21) - 4, 7);
      assertThat(MADVISE.attempt(memory.address(), 1 << 21, MADV_REMOVE)).isEqualTo(-Errno.EPERM);
      assertThat(FALLOCATE.attempt(kept.number(), PUNCH_HOLE_KEEPING_THE_SIZE, 0, 1 << 21))
          .isEqualTo(-Errno.EPERM);
      assertThat(memory.segment().get(ValueLayout.JAVA_INT, (1 << 21) - 4)).isEqualTo(7);
    } catch (SystemCallException e) {
      // Otherwise another program has taken them all, or the machine has none.
      assertThat(e.errno()).isEqualTo(ENOMEM);
      assumeThat(e).as("huge pages are free").isNull();
    }
  }

  @Test
  void shouldNotReadWhereHolesMayBePunched() throws IOException {
    Descriptor open = memfd(ALLOW_SEALING, 4096, SHRINK_AND_GROW);
    assertThatThrownBy(() -> SharedMemory.mapForReading(open))
        .isInstanceOf(UnsafeMemoryException.class)
        .hasMessageContaining("F_SEAL_FUTURE_WRITE");
  }

  @Test
  void shouldRejectDescriptorsThatAreNoMemory() throws IOException {
    assertThatThrownBy(() -> SharedMemory.map(EventFd.create().descriptor()))
        .isInstanceOf(UnsafeMemoryException.class)
        .hasMessageContaining("not a memfd");
    assertThatThrownBy(() -> SharedMemory.map(memfd(ALLOW_SEALING, 0, SHRINK_AND_GROW)))
        .isInstanceOf(UnsafeMemoryException.class)
        .hasMessageContaining("empty");
  }

  @Test
  void shouldThrowWhenGuardedMemoryIsUsedAfterItsArenaClosed() throws IOException {
    try (SharedMemory memory = SharedMemory.create("test", 4096)) {
      Arena arena = Arena.ofShared();
      MemorySegment guarded = memory.segment(arena);
      guarded.set(ValueLayout.JAVA_INT, 0, 1);
      arena.close();
      assertThatThrownBy(() -> guarded.get(ValueLayout.JAVA_INT, 0))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void shouldCloseItsDescriptor() throws IOException {
    for (int i = 0; i < 10; i++) {
      SharedMemory memory = SharedMemory.create("leak-check", 4096);
      SharedMemory.map(memory.descriptor().duplicate()).close();
      memory.close();
      memory.close();
    }
    assertThat(OpenDescriptors.naming("leak-check")).isEmpty();
  }

  @Test
  void shouldRejectInvalidSizes() {
    assertThatThrownBy(() -> SharedMemory.create("test", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SharedMemory.create("test", Long.MAX_VALUE))
        .isInstanceOf(SystemCallException.class)
        .hasMessageContaining("errno");
  }
}
