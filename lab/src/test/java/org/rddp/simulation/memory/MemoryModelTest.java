package org.rddp.simulation.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.rddp.simulation.Violations;
import org.rddp.wire.Memory;

class MemoryModelTest {
  private static final int SIZE = 64;

  private final Violations violations = new Violations();
  private final long address = Memory.allocate(SIZE);
  private final MemoryModel memory = new MemoryModel(violations, "test", address, new byte[SIZE]);
  private final ModelStag tag = new ModelStag(1, null, 0, SIZE, 0, 0, true);

  private static byte[] octets(int length, int value) {
    byte[] octets = new byte[length];
    Arrays.fill(octets, (byte) value);
    return octets;
  }

  private void postWrite(int from, int length, int value, long number, long fence) {
    byte[] octets = octets(length, value);
    KnownOctets known = new KnownOctets(octets, 0);
    memory.expect(ExpectedPlacement.ofWrite(from, length, known, number, tag), octets, 0, fence);
  }

  private void postAtomic(int from, int value, long number) {
    byte[] after = octets(Long.BYTES, value);
    KnownOctets known = new KnownOctets(after, 0);
    memory.expect(ExpectedPlacement.ofAtomic(from, known, number, tag), after, 0, -1);
  }

  private void place(int from, int length, int value) {
    Memory.copy(octets(length, value), 0, address + from, length);
  }

  @Test
  void shouldHaveExecutedAtomicsInFrontOfCompleteWriteWithFence() {
    postWrite(0, 16, 1, 1, -1);
    postAtomic(8, 2, 2);
    postWrite(4, 12, 3, 3, 3);
    place(0, 16, 1);
    place(8, 8, 2);
    place(4, 12, 3);
    memory.writesDone(4, true, "a message was received");
    assertThat(memory.posted(8, 8)).containsOnly(3);
    postAtomic(8, 4, 5);
    place(8, 8, 4);
    memory.allDone(3, "the first atomic was answered");
    memory.allDone(6, "the second atomic was answered");
    assertThat(violations.first()).isNull();
  }

  @Test
  void shouldFindAtomicNotExecutedInFrontOfCompleteWriteWithFence() {
    postAtomic(8, 2, 2);
    postWrite(4, 8, 3, 3, 3);
    place(4, 8, 3);
    memory.writesDone(4, true, "a message was received");
    assertThat(violations.first()).contains("octet 12 ");
  }

  @Test
  void shouldNotExpectAtomicInFrontOfWriteWithFenceIfOwnerCloses() {
    postAtomic(8, 2, 2);
    postWrite(4, 8, 3, 3, 3);
    place(4, 8, 3);
    memory.writesDone(4, false, "a message was received");
    memory.check("all is over");
    assertThat(violations.first()).isNull();
  }
}
