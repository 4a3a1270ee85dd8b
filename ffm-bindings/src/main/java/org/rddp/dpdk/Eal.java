package org.rddp.dpdk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.rddp.dpdk.generated.Dpdk;

/**
 * DPDK's environment abstraction layer (EAL). Initialise it once per process, before any other use
 * of DPDK.
 *
 * <p>All methods may be called from any thread.
 */
public final class Eal {
  private enum State {
    NEW,
    INITIALISED,
    ENDED
  }

  private static final int NOT_KEPT = -1;

  private static State state = State.NEW;

  private Eal() {}

  /**
   * Initialises DPDK.
   *
   * <p>DPDK binds the calling thread to the processors of its main lcore, and threads started from
   * it inherit that. So this runs on a temporary thread, and the JVM's threads keep their affinity.
   *
   * <p>A process can do this once. If DPDK refuses, the process cannot try again; after errors
   * found before DPDK is called (no library, no hugepages) it can.
   *
   * @param arguments as for any DPDK program, without the program's name; see {@link EalArguments}
   * @throws DpdkException with the reason and how to fix it
   */
  public static void init(List<String> arguments) {
    init(arguments, NOT_KEPT, NOT_KEPT);
  }

  /**
   * Initialises DPDK while the process's output is kept in a file. From 25.11 on, DPDK ends the
   * process, without an exception, if it does not know an argument; then the kept output is copied
   * to {@code told}.
   *
   * @param arguments as for any DPDK program, without the program's name; see {@link EalArguments}
   * @param kept descriptor of that file
   * @param told descriptor that the file's text goes to if DPDK ends the process
   * @throws DpdkException with the reason and how to fix it
   */
  public static synchronized void init(List<String> arguments, int kept, int told) {
    if (state != State.NEW) {
      throw DpdkException.refused(
          "DPDK can be initialised only once in a process, and that has been done or tried.");
    }
    NativeLibrary.load();
    requireMemory(arguments, Hugepages.available());
    state = State.ENDED;
    int result = initOnOwnThread(arguments, kept, told);
    removeFolder();
    if (result < 0) {
      throw DpdkException.of(
          "initialise DPDK with the arguments " + String.join(" ", arguments),
          result,
          "DPDK's own messages on standard error say more. Usual reasons: another process uses the"
              + " same --file-prefix; --no-huge and --in-memory exclude each other; too few"
              + " hugepages (sysctl -w vm.nr_hugepages=...) or no right to them; an unknown"
              + " argument. The process must be started again.");
    }
    state = State.INITIALISED;
  }

  /**
   * Throws if there are no hugepages. DPDK would refuse too, but with a misleading message, and the
   * process could not try again.
   */
  static void requireMemory(List<String> arguments, long hugepages) {
    if (!arguments.contains("--no-huge") && hugepages == 0) {
      throw DpdkException.refused(
          "There are no free hugepages, which DPDK takes its memory from. Reserve some as root"
              + " (sysctl -w vm.nr_hugepages=256 for 512 MiB), end the processes that hold them,"
              + " or do without (--no-huge -m 256), which is slower.");
    }
  }

  private static int initOnOwnThread(List<String> arguments, int kept, int told) {
    int[] result = new int[1];
    Thread thread = new Thread(() -> result[0] = callInit(arguments, kept, told), "dpdk-init");
    thread.start();
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return result[0];
  }

  private static int callInit(List<String> arguments, int kept, int told) {
    Arena forever = Arena.global(); // DPDK keeps pointers to its arguments
    MemorySegment argv = forever.allocate(ValueLayout.ADDRESS, arguments.size() + 2L);
    argv.setAtIndex(ValueLayout.ADDRESS, 0, forever.allocateFrom("rddp"));
    for (int i = 0; i < arguments.size(); i++) {
      argv.setAtIndex(ValueLayout.ADDRESS, i + 1L, forever.allocateFrom(arguments.get(i)));
    }
    return Dpdk.rddp_eal_init(arguments.size() + 1, argv, kept, told);
  }

  /** Whether {@link #init} has succeeded and {@link #cleanup} has not been called. */
  public static synchronized boolean initialised() {
    return state == State.INITIALISED;
  }

  /** Throws unless DPDK is initialised: otherwise its functions would end the process. */
  static void requireInitialised() {
    if (!initialised()) {
      throw DpdkException.refused("DPDK is not initialised: call Eal.init first.");
    }
  }

  /**
   * Removes the folder that DPDK makes for its files. With {@link EalArguments} it has none, so
   * that a process which is killed leaves nothing.
   */
  private static void removeFolder() {
    String folder = Dpdk.rddp_runtime_dir().getString(0);
    try {
      if (!folder.isEmpty()) {
        Files.deleteIfExists(Path.of(folder));
      }
    } catch (IOException e) {
      // Other arguments want files in it.
    }
  }

  /**
   * Ends the use of DPDK, which cannot be used afterwards. Call after ports and pools have been
   * closed. The memory is freed when the process ends.
   */
  public static synchronized void cleanup() {
    if (state == State.INITIALISED) {
      // Does not call rte_eal_cleanup, which unmaps memory that DPDK's interrupt thread, still
      // running, may use. A memif whose peer had ended crashed the process in this way.
      state = State.ENDED;
    }
  }

  /**
   * Registers the calling thread, a platform thread, with DPDK, so that it gets its own cache in
   * every {@link Mempool}.
   *
   * @throws DpdkException if there are too many such threads (127)
   */
  public static void registerThread() {
    requireInitialised();
    int result = Dpdk.rddp_thread_register();
    if (result < 0) {
      throw DpdkException.of(
          "register thread " + Thread.currentThread().getName(),
          result,
          "DPDK knows at most 128 threads: end some of them.");
    }
  }

  /** Undoes {@link #registerThread}; returns the thread's caches to the pools. */
  public static void unregisterThread() {
    requireInitialised();
    Dpdk.rddp_thread_unregister();
  }

  /** The version of the loaded DPDK, such as {@code DPDK 22.11.11}. */
  public static String version() {
    NativeLibrary.load();
    return Dpdk.rddp_dpdk_version().getString(0);
  }
}
