package org.rddp.ipc.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DescriptorTest {
  private static final SystemCall MEMFD_CREATE = SystemCall.bind("memfd_create", "i:li");
  private static final int MFD_CLOEXEC = 1;
  private static final int MFD_HUGETLB = 4;

  private static Descriptor memfd(int flags) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      return Descriptor.of(MEMFD_CREATE.call(arena.allocateFrom("test").address(), flags));
    }
  }

  private static Descriptor again(Descriptor opened) throws SystemCallException {
    return Descriptor.open(Path.of("/proc/self/fd/" + opened.number()));
  }

  @Test
  void shouldTellWhetherADescriptorIsADuplicate() throws Exception {
    try (Descriptor first = memfd(MFD_CLOEXEC);
        Descriptor duplicate = first.duplicate();
        Descriptor again = again(first);
        Descriptor other = memfd(MFD_CLOEXEC)) {
      assertThat(first.isDuplicateOf(first)).isTrue();
      assertThat(first.isDuplicateOf(duplicate)).isTrue();
      assertThat(duplicate.isDuplicateOf(first)).isTrue();
      assertThat(first.isDuplicateOf(again)).as("opened again").isFalse();
      assertThat(first.isDuplicateOf(other)).isFalse();
      assertThat(again.file()).isEqualTo(first.file());
      assertThat(other.file()).isNotEqualTo(first.file());
    }
  }

  /** The huge pages are of the default size; none has to be free. */
  @Test
  void shouldTellWhetherAFilesNumberIsUnique() throws Exception {
    try (Descriptor ordinary = memfd(MFD_CLOEXEC);
        Descriptor huge = memfd(MFD_CLOEXEC | MFD_HUGETLB)) {
      assertThat(ordinary.file().unique()).isTrue();
      assertThat(huge.file().unique()).isFalse();
    }
  }
}
