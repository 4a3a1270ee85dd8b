package org.rddp.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class AffinityTest {
  @Test
  void shouldBindOnlyTheCallingThread() throws Exception {
    int[] before = Affinity.allowed();
    int last = before[before.length - 1];

    try (PinnedThread<int[]> thread = PinnedThread.start("pinned", last, Affinity::allowed)) {
      assertThat(thread.join()).containsExactly(last);
    }
    try (PinnedThread<int[]> thread = PinnedThread.start("pinned", last, Affinity::ofProcess)) {
      assertThat(thread.join()).isEqualTo(before);
    }
    assertThat(Affinity.allowed()).isEqualTo(before);
  }

  @Test
  void shouldRefuseACpuThatTheMachineDoesNotHave() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Affinity.pin(8191))
        .withMessageContaining("sched_setaffinity");
  }

  @Test
  void shouldRefuseANumberThatNoCpuHas() {
    assertThatIllegalArgumentException().isThrownBy(() -> Affinity.pin(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> Affinity.pin(8192));
  }
}
