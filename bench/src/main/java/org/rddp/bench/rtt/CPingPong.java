package org.rddp.bench.rtt;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.rddp.dpdk.EthernetPort;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;

/**
 * The ping-pong of raw frames as a loop in C, over the same ports and shim: the difference is the
 * cost of Java.
 */
final class CPingPong {
  /** File name of the library, beside the shim. */
  static final String LIBRARY = "librddp_bench.so";

  private static final int BUFFERS = 2047;
  private static final int ROOM = 2048;

  private final MethodHandle ping;
  private final MethodHandle pong;
  private final MemorySegment running = Arena.global().allocate(ValueLayout.JAVA_INT);
  private final Mempool nearPool;
  private final Mempool farPool;
  private final int nearPort;
  private final int farPort;

  /** Over these ports, with packet buffers of its own. */
  CPingPong(RingPorts joined) {
    SymbolLookup library = SymbolLookup.libraryLookup(path(), Arena.global());
    ping =
        handle(
            library,
            "rddp_bench_ping",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_SHORT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS));
    pong =
        handle(
            library,
            "rddp_bench_pong",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_SHORT,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS));
    nearPool = Mempool.create("c_near", BUFFERS, 256, MbufLayout.HEADROOM + ROOM, -1);
    farPool = Mempool.create("c_far", BUFFERS, 256, MbufLayout.HEADROOM + ROOM, -1);
    nearPort = ((EthernetPort) joined.near().port()).number();
    farPort = ((EthernetPort) joined.far().port()).number();
    running.set(ValueLayout.JAVA_INT, 0, 1);
  }

  private static Path path() {
    return Path.of(System.getProperty("rddp.native", LIBRARY)).resolveSibling(LIBRARY);
  }

  static boolean isBuilt() {
    return Files.isReadable(path());
  }

  private static MethodHandle handle(
      SymbolLookup library, String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), descriptor);
  }

  /** Sends frames, and waits for each to come back. */
  void ping(RttTask task, Histogram nanoseconds) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment times = arena.allocate(ValueLayout.JAVA_LONG, task.count());
      int result =
          (int)
              ping.invokeExact(
                  (short) nearPort,
                  nearPool.address(),
                  task.octets(),
                  task.warmUp(),
                  task.count(),
                  task.mostNanos(),
                  times);
      if (result < 0) {
        throw new IOException("the loop in C: error " + result);
      }
      for (int i = 0; i < result; i++) {
        nanoseconds.recordValue(
            Math.min(
                times.getAtIndex(ValueLayout.JAVA_LONG, i),
                nanoseconds.getHighestTrackableValue()));
      }
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends every frame back, until {@link #stop()}. */
  void pong() {
    try {
      int result = (int) pong.invokeExact((short) farPort, farPool.address(), running);
      if (result < 0) {
        throw new IllegalStateException("the loop in C: error " + result);
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  void stop() {
    MessageNumbers.stop(running);
  }
}
