package org.rddp.ipc.control;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * The message by which a process says, at a stream's socket, that it alone has used the stream's
 * memory, and uses it no more. The kernel tells its user (SO_PASSCRED): a process that was given
 * fewer rights could have mapped the memory, and read there what later streams of its session
 * carry.
 */
public final class GivenBack {
  private static final MemorySegment TEXT =
      Arena.global().allocateFrom("given back", StandardCharsets.US_ASCII);

  private static final int LENGTH = (int) TEXT.byteSize() - 1;

  /** Messages that a program's socket has room for, at least, and failures before them. */
  private static final int MOST = 64;

  private static final int SOL_SOCKET = 1;
  private static final int SO_PASSCRED = 16;
  private static final int SCM_CREDENTIALS = 2;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;

  /** Where struct msghdr has what. */
  private static final int PIECES = 16;

  private static final int CONTROL = 32;
  private static final int HEADER = 56;

  /** Octets of a control message with struct ucred, and where its parts are. */
  private static final int CREDENTIALS = 32;

  private static final int KIND = 8;
  private static final int USER = 20;

  private static final SystemCall SETSOCKOPT = SystemCall.bind("setsockopt", "i:iiili");
  private static final SystemCall RECVMSG = SystemCall.bind("recvmsg", "l:ili");

  private GivenBack() {}

  /** Makes the kernel tell the daemon's end of a stream's socket who sends. */
  public static void expect(PairedSocket socket) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      long one = arena.allocateFrom(ValueLayout.JAVA_INT, 1).address();
      SETSOCKOPT.call(socket.descriptor().number(), SOL_SOCKET, SO_PASSCRED, one, Integer.BYTES);
    }
  }

  /** Says it at the program's end of the socket, which the process closes next. Never waits. */
  public static void say(PairedSocket socket) {
    socket.send(TEXT.address(), LENGTH);
  }

  /**
   * Whether a process of a user has said it last. Receives what has come to the daemon's end, which
   * can take long where programs may send descriptors.
   */
  public static boolean isSaid(PairedSocket socket, int user) {
    boolean said = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(HEADER + CREDENTIALS + 16 + LENGTH + 1, 8);
      int from = socket.descriptor().isOpen() ? 0 : MOST;
      for (int i = from; i < MOST; i++) {
        long octets = receive(socket, memory);
        if (octets > 0) {
          said = octets == LENGTH && isText(memory) && isOf(memory, user);
        } else if (octets != -Errno.EINTR && octets != -Errno.ECONNRESET) {
          break;
        }
      }
    }
    return said;
  }

  private static long receive(PairedSocket socket, MemorySegment memory) {
    long piece = memory.address() + HEADER + CREDENTIALS;
    memory.fill((byte) 0);
    memory.set(ValueLayout.JAVA_LONG, PIECES, piece);
    memory.set(ValueLayout.JAVA_LONG, PIECES + 8, 1);
    memory.set(ValueLayout.JAVA_LONG, CONTROL, memory.address() + HEADER);
    memory.set(ValueLayout.JAVA_LONG, CONTROL + 8, CREDENTIALS);
    memory.set(ValueLayout.JAVA_LONG, HEADER + CREDENTIALS, piece + 16);
    memory.set(ValueLayout.JAVA_LONG, HEADER + CREDENTIALS + 8, LENGTH + 1L);
    return RECVMSG.attempt(
        socket.descriptor().number(), memory.address(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  }

  private static boolean isText(MemorySegment memory) {
    return memory.asSlice(HEADER + CREDENTIALS + 16, LENGTH).mismatch(TEXT.asSlice(0, LENGTH)) < 0;
  }

  private static boolean isOf(MemorySegment memory, int user) {
    return memory.get(ValueLayout.JAVA_LONG, CONTROL + 8) >= CREDENTIALS - 4
        && memory.get(ValueLayout.JAVA_INT, HEADER + KIND) == SOL_SOCKET
        && memory.get(ValueLayout.JAVA_INT, HEADER + KIND + 4) == SCM_CREDENTIALS
        && memory.get(ValueLayout.JAVA_INT, HEADER + USER) == user;
  }
}
