package org.rddp.ipc.control;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rddp.ipc.linux.Descriptor;

/**
 * Memory for a struct msghdr, one iovec, the octets and the ancillary data of a message with
 * descriptors. Not thread-safe.
 */
final class SocketMessage {
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final int IOVEC = 56;
  private static final int CONTROL = IOVEC + 16;
  private static final int CONTROL_HEADER = 16;
  private static final int CONTROL_ROOM = CONTROL_HEADER + 4 * MessageBuffer.MAX_DESCRIPTORS;
  private static final int OCTETS = 128;

  private final MemorySegment memory =
      Arena.ofAuto().allocate(OCTETS + MessageBuffer.MAX_OCTETS, 8);

  long address() {
    return memory.address();
  }

  int flags() {
    return memory.get(ValueLayout.JAVA_INT, 48);
  }

  void prepare() {
    memory.asSlice(0, OCTETS).fill((byte) 0);
    set(MessageBuffer.MAX_OCTETS, CONTROL_ROOM);
  }

  private void set(int octets, int controlOctets) {
    memory.set(ValueLayout.JAVA_LONG, 16, memory.address() + IOVEC);
    memory.set(ValueLayout.JAVA_LONG, 24, 1);
    memory.set(ValueLayout.JAVA_LONG, 32, controlOctets == 0 ? 0 : memory.address() + CONTROL);
    memory.set(ValueLayout.JAVA_LONG, 40, controlOctets);
    memory.set(ValueLayout.JAVA_INT, 48, 0);
    memory.set(ValueLayout.JAVA_LONG, IOVEC, memory.address() + OCTETS);
    memory.set(ValueLayout.JAVA_LONG, IOVEC + 8, octets);
  }

  void fill(MessageBuffer buffer) {
    List<Descriptor> descriptors = buffer.descriptors();
    int controlOctets = CONTROL_HEADER + 4 * descriptors.size();
    byte[] octets = buffer.toByteArray();
    set(octets.length, descriptors.isEmpty() ? 0 : (controlOctets + 7) & ~7);
    memory.set(ValueLayout.JAVA_LONG, CONTROL, controlOctets);
    memory.set(ValueLayout.JAVA_INT, CONTROL + 8, SOL_SOCKET);
    memory.set(ValueLayout.JAVA_INT, CONTROL + 12, SCM_RIGHTS);
    for (int i = 0; i < descriptors.size(); i++) {
      memory.set(
          ValueLayout.JAVA_INT, CONTROL + CONTROL_HEADER + 4L * i, descriptors.get(i).number());
    }
    MemorySegment.copy(octets, 0, memory, ValueLayout.JAVA_BYTE, OCTETS, octets.length);
    Arrays.fill(octets, (byte) 0);
  }

  /** Overwrites the octets of a message, which may hold keys. */
  void wipe(int octets) {
    memory.asSlice(OCTETS, octets).fill((byte) 0);
  }

  /** The received message with all descriptors that the kernel installed. */
  MessageBuffer received(int octets) {
    List<Descriptor> descriptors = new ArrayList<>();
    long control = memory.get(ValueLayout.JAVA_LONG, 40);
    long length = control < CONTROL_HEADER ? 0 : memory.get(ValueLayout.JAVA_LONG, CONTROL);
    boolean rights =
        memory.get(ValueLayout.JAVA_INT, CONTROL + 8) == SOL_SOCKET
            && memory.get(ValueLayout.JAVA_INT, CONTROL + 12) == SCM_RIGHTS;
    for (long at = CONTROL_HEADER; rights && at + 4 <= length; at += 4) {
      descriptors.add(Descriptor.of(memory.get(ValueLayout.JAVA_INT, CONTROL + at)));
    }
    byte[] bytes = new byte[octets];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, OCTETS, bytes, 0, octets);
    wipe(octets);
    return MessageBuffer.forReading(bytes, octets, descriptors);
  }
}
