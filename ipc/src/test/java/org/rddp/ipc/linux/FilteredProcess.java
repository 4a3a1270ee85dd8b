package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.rddp.ipc.ring.AdaptivePolling;
import org.rddp.ipc.ring.EngineProcessors;

/** A process that the kernel kills (SIGSYS) when it calls sched_setattr or sched_setaffinity. */
public final class FilteredProcess {
  private static final int PR_SET_NO_NEW_PRIVS = 38;
  private static final long SECCOMP_SET_MODE_FILTER = 1;
  private static final long ALL_THREADS = 1;

  private static final short LOAD_WORD = 0x20;
  private static final short JUMP_IF_EQUAL = 0x15;
  private static final short RETURN = 0x06;
  private static final int KILL_PROCESS = 0x8000_0000;
  private static final int ALLOW = 0x7fff_0000;

  private FilteredProcess() {}

  /** Starts such a process, which does what a program's threads do between two polls. */
  static Process start() throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            FilteredProcess.class.getName())
        .inheritIO()
        .start();
  }

  private static void instruction(ByteBuffer to, short code, int ifTrue, int ifFalse, int operand) {
    to.putShort(code).put((byte) ifTrue).put((byte) ifFalse).putInt(operand);
  }

  private static void filter() throws SystemCallException {
    boolean amd64 = System.getProperty("os.arch").equals("amd64");
    SystemCall syscall = SystemCall.bind("syscall", "l:l.illl");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment program = arena.allocate(5 * 8, 8);
      ByteBuffer code = program.asByteBuffer().order(ByteOrder.nativeOrder());
      instruction(code, LOAD_WORD, 0, 0, 0); // the number of the call
      instruction(code, JUMP_IF_EQUAL, 2, 0, amd64 ? 314 : 274); // sched_setattr
      instruction(code, JUMP_IF_EQUAL, 1, 0, amd64 ? 203 : 122); // sched_setaffinity
      instruction(code, RETURN, 0, 0, ALLOW);
      instruction(code, RETURN, 0, 0, KILL_PROCESS);
      MemorySegment description = arena.allocate(16, 8);
      description.set(ValueLayout.JAVA_SHORT, 0, (short) 5);
      description.set(ValueLayout.JAVA_LONG, 8, program.address());
      SystemCall.bind("prctl", "i:illll").call(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      syscall.call(
          amd64 ? 317 : 277, SECCOMP_SET_MODE_FILTER, ALL_THREADS, description.address(), 0);
    }
  }

  /** Polls. */
  public static void main(String[] arguments) throws SystemCallException {
    filter();
    IntPredicate everywhere = processor -> true;
    new EngineProcessors(everywhere).yieldProcessor();
    new AdaptivePolling(1).begin();
  }
}
