package org.rddp.daemon.replacement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

class SnapshotMemoryTest {
  private static final SystemCall FTRUNCATE = SystemCall.bind("ftruncate", "i:il");

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldKeepWhatIsWrittenAndOverwriteTheArray(boolean secret) throws IOException {
    byte[] snapshot = {1, 2, 3, 4, 5};
    Descriptor memory =
        secret ? SnapshotMemory.of(snapshot) : SnapshotMemory.sealed(snapshot.clone());
    assertThatThrownBy(() -> FTRUNCATE.call(memory.number(), 1))
        .isInstanceOf(SystemCallException.class);
    assertThat(SnapshotMemory.read(memory, 5)).containsExactly(1, 2, 3, 4, 5);
    assertThat(memory.isOpen()).isFalse();
    assertThat(snapshot).containsExactly(secret ? new byte[5] : new byte[] {1, 2, 3, 4, 5});
  }
}
