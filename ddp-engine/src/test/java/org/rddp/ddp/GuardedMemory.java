package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.rddp.wire.Memory;

/** A buffer of poison between guard octets that must not change. */
public final class GuardedMemory {
  /** What every octet is until somebody writes it. */
  public static final byte POISON = (byte) 0xa5;

  private static final int GUARD = 4096;

  private final MemorySegment memory;
  private final int length;

  /** A buffer of {@code length} octets. */
  public GuardedMemory(int length) {
    this.length = length;
    memory = Arena.ofAuto().allocate(length + 2L * GUARD, 64);
    memory.fill(POISON);
  }

  /** Address of the first octet. */
  public long address() {
    return memory.address() + GUARD;
  }

  /** Octets of the buffer. */
  public int length() {
    return length;
  }

  /** Puts octets in from an offset on. */
  public void put(int offset, byte[] octets) {
    Memory.copy(octets, 0, address() + offset, octets.length);
  }

  /** What the buffer holds. */
  public byte[] octets() {
    return Memory.bytes(address(), length);
  }

  /** Checks that the buffer is as the model says, and that the guards are whole. */
  public void assertHolds(byte[] model) {
    byte[] guard = new byte[GUARD];
    Arrays.fill(guard, POISON);
    assertThat(Arrays.mismatch(octets(), model)).as("first octet that differs").isEqualTo(-1);
    assertThat(Memory.bytes(address() - GUARD, GUARD)).isEqualTo(guard);
    assertThat(Memory.bytes(address() + length, GUARD)).isEqualTo(guard);
  }

  /** Checks that nothing has been written. */
  public void assertUntouched() {
    byte[] model = new byte[length];
    Arrays.fill(model, POISON);
    assertHolds(model);
  }
}
