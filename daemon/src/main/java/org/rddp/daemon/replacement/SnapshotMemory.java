package org.rddp.daemon.replacement;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * The memory in which a snapshot goes from one daemon to the other. It has keys, so it is
 * memfd_secret(2) where there is one, which nobody reads by /proc, ptrace(2) or a core dump, and
 * whose size cannot be changed. Otherwise (the kernel has none or forbids it, or RLIMIT_MEMLOCK is
 * too low, since all of it is locked) it is a sealed memfd, which root can read.
 */
final class SnapshotMemory {
  private static final long MEMFD_SECRET = 447;
  private static final int O_CLOEXEC = 0x80000;
  private static final int MFD_CLOEXEC_SEALING = 3;
  private static final int F_ADD_SEALS = 1033;

  /** F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE. */
  private static final int SEALS = 15;

  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;
  private static final int MAP_SHARED = 1;

  private static final SystemCall SYSCALL = SystemCall.bind("syscall", "l:l.l");
  private static final SystemCall MEMFD_CREATE = SystemCall.bind("memfd_create", "i:li");
  private static final SystemCall FTRUNCATE = SystemCall.bind("ftruncate", "i:il");
  private static final SystemCall FCNTL = SystemCall.bind("fcntl", "i:ii.i");
  private static final SystemCall MMAP = SystemCall.bind("mmap", "l:lliiil");
  private static final SystemCall MUNMAP = SystemCall.bind("munmap", "i:ll");

  private SnapshotMemory() {}

  /**
   * Moves a snapshot there: the array is overwritten, even if the call fails.
   *
   * @return the memory, for the caller to close
   */
  static Descriptor of(byte[] snapshot) throws SystemCallException {
    try {
      long secret = SYSCALL.attempt(MEMFD_SECRET, O_CLOEXEC);
      if (secret >= 0) {
        Descriptor made = Descriptor.of(secret);
        try {
          fill(made, snapshot);
          return made;
        } catch (SystemCallException e) {
          // RLIMIT_MEMLOCK.
          made.close();
        }
      }
      return sealed(snapshot);
    } finally {
      Arrays.fill(snapshot, (byte) 0);
    }
  }

  static Descriptor sealed(byte[] snapshot) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom("rddp-snapshot").address();
      Descriptor made = Descriptor.of(MEMFD_CREATE.call(name, MFD_CLOEXEC_SEALING));
      try {
        fill(made, snapshot);
        FCNTL.call(made.number(), F_ADD_SEALS, SEALS);
        return made;
      } catch (SystemCallException e) {
        made.close();
        throw e;
      }
    }
  }

  private static void fill(Descriptor memory, byte[] snapshot) throws SystemCallException {
    FTRUNCATE.call(memory.number(), snapshot.length);
    MemorySegment mapped = map(memory, snapshot.length, PROT_READ | PROT_WRITE);
    MemorySegment.copy(snapshot, 0, mapped, ValueLayout.JAVA_BYTE, 0, snapshot.length);
    unmap(mapped);
  }

  /**
   * Reads a snapshot.
   *
   * @param memory of the other daemon; closed by this call
   * @return the octets, which the caller overwrites
   */
  static byte[] read(Descriptor memory, long octets) throws SystemCallException {
    try (memory) {
      MemorySegment mapped = map(memory, octets, PROT_READ);
      byte[] read = mapped.toArray(ValueLayout.JAVA_BYTE);
      unmap(mapped);
      return read;
    }
  }

  private static MemorySegment map(Descriptor memory, long octets, int rights)
      throws SystemCallException {
    long address = MMAP.call(0, octets, rights, MAP_SHARED, memory.number(), 0);
    return MemorySegment.ofAddress(address).reinterpret(octets);
  }

  private static void unmap(MemorySegment mapped) {
    MUNMAP.attempt(mapped.address(), mapped.byteSize());
  }
}
