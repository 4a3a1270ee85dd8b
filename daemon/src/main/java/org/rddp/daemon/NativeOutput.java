package org.rddp.daemon;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Captures this process's standard output and standard error, so that messages and usage texts of
 * DPDK do not mix with those of the daemon. Captures all threads; meant for the start of a process.
 * For one thread.
 */
final class NativeOutput implements AutoCloseable {
  private static final int OUT = 1;
  private static final int ERR = 2;
  private static final int SEEK_CUR = 1;
  private static final int MFD_CLOEXEC = 1;
  private static final SystemCall MEMFD_CREATE = SystemCall.bind("memfd_create", "i:li");
  private static final SystemCall DUP = SystemCall.bind("dup", "i:i");
  private static final SystemCall DUP2 = SystemCall.bind("dup2", "i:ii");
  private static final SystemCall LSEEK = SystemCall.bind("lseek", "l:ili");
  private static final SystemCall FFLUSH = SystemCall.bind("fflush", "i:l");

  private final Descriptor kept;
  private final Descriptor out;
  private final Descriptor err;
  private boolean closed;

  private NativeOutput(Descriptor kept, Descriptor out, Descriptor err) {
    this.kept = kept;
    this.out = out;
    this.err = err;
  }

  /**
   * Begins to capture the output.
   *
   * @throws SystemCallException if no descriptors are left
   */
  static NativeOutput keep() throws SystemCallException {
    System.out.flush();
    System.err.flush();
    FFLUSH.call(0);
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom("rddp-output").address();
      Descriptor kept = Descriptor.of(MEMFD_CREATE.call(name, MFD_CLOEXEC));
      Descriptor out = Descriptor.of(DUP.call(OUT));
      Descriptor err = Descriptor.of(DUP.call(ERR));
      DUP2.call(kept.number(), OUT);
      DUP2.call(kept.number(), ERR);
      return new NativeOutput(kept, out, err);
    }
  }

  /** Octets captured so far, for {@link #since}. */
  long mark() {
    try {
      // The C library buffers a part of the output.
      FFLUSH.call(0);
      return LSEEK.call(kept.number(), 0, SEEK_CUR);
    } catch (SystemCallException e) {
      return 0;
    }
  }

  /** What was written after a mark. */
  String since(long mark) {
    mark();
    try {
      byte[] all = Files.readAllBytes(Path.of("/proc/self/fd/" + kept.number()));
      int from = (int) Math.min(mark, all.length);
      return new String(all, from, all.length - from, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  /** The descriptor of the file that has the output. */
  int file() {
    return kept.number();
  }

  /** The descriptor of standard error as it was before. */
  int standardError() {
    return err.number();
  }

  /** Gives the process its output back. */
  @Override
  public void close() throws SystemCallException {
    if (!closed) {
      closed = true;
      FFLUSH.call(0);
      DUP2.call(out.number(), OUT);
      DUP2.call(err.number(), ERR);
      out.close();
      err.close();
      kept.close();
    }
  }
}
