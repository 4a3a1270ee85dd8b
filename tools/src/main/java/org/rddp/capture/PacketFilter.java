package org.rddp.capture;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A filter in the syntax of pcap-filter(7), compiled by libpcap and run by it on frames that have
 * been captured. For one thread at a time.
 */
public final class PacketFilter implements AutoCloseable {
  /**
   * Names under which libpcap is found: Debian's, other distributions', and that of its sources.
   */
  private static final String[] LIBRARIES = {"libpcap.so.0.8", "libpcap.so.1", "libpcap.so"};

  private static final int ETHERNET = 1;
  private static final int OPTIMIZE = 1;
  private static final int NETMASK_UNKNOWN = -1;

  /** struct bpf_program: number of instructions, pointer to them. */
  private static final int PROGRAM_OCTETS = 16;

  /** struct pcap_pkthdr: time (16 octets), octets captured, octets of the frame. */
  private static final MemoryLayout HEADER =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);

  private static final int CAPTURED = 16;
  private static final int LENGTH = 20;

  private final Arena arena = Arena.ofShared();
  private final MethodHandle offlineFilter;
  private final MethodHandle freeCode;
  private final MemorySegment program = arena.allocate(PROGRAM_OCTETS, 8);
  private final MemorySegment header = arena.allocate(HEADER);

  private PacketFilter(SymbolLookup library) {
    offlineFilter =
        function(
            library,
            "pcap_offline_filter",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS));
    freeCode = function(library, "pcap_freecode", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
  }

  /**
   * Compiles an expression.
   *
   * @param snapLength octets kept of each frame at most
   * @throws IllegalArgumentException if libpcap does not understand the expression; the message is
   *     libpcap's
   * @throws UnsupportedOperationException if the machine has no libpcap; the message says what to
   *     do
   */
  public static PacketFilter compile(String expression, int snapLength) {
    SymbolLookup library = library();
    PacketFilter filter = new PacketFilter(library);
    try {
      filter.compile(library, expression, snapLength);
      return filter;
    } catch (RuntimeException e) {
      filter.arena.close();
      throw e;
    }
  }

  private static SymbolLookup library() {
    for (String name : LIBRARIES) {
      try {
        return SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException absent) {
        // Try the next name.
      }
    }
    throw new UnsupportedOperationException(
        "a filter needs libpcap, which is not installed: apt-get install libpcap0.8");
  }

  private static MethodHandle function(
      SymbolLookup library, String name, FunctionDescriptor signature) {
    return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), signature);
  }

  private void compile(SymbolLookup library, String expression, int snapLength) {
    MethodHandle open =
        function(
            library,
            "pcap_open_dead",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    MethodHandle compile =
        function(
            library,
            "pcap_compile",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT));
    MethodHandle error =
        function(
            library,
            "pcap_geterr",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    MethodHandle close =
        function(library, "pcap_close", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
    try {
      MemorySegment pcap = (MemorySegment) open.invokeExact(ETHERNET, snapLength);
      try {
        MemorySegment text = arena.allocateFrom(expression);
        int result = (int) compile.invokeExact(pcap, program, text, OPTIMIZE, NETMASK_UNKNOWN);
        if (result != 0) {
          MemorySegment message = (MemorySegment) error.invokeExact(pcap);
          throw new IllegalArgumentException(
              message.reinterpret(Long.MAX_VALUE).getString(0).strip());
        }
      } finally {
        close.invokeExact(pcap);
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable unexpected) {
      throw new AssertionError("libpcap", unexpected);
    }
  }

  /**
   * Whether a frame matches.
   *
   * @param frame the octets kept, in native memory
   * @param originalLength length on the link in octets
   */
  public boolean matches(MemorySegment frame, int originalLength) {
    header.set(ValueLayout.JAVA_INT, CAPTURED, (int) frame.byteSize());
    header.set(ValueLayout.JAVA_INT, LENGTH, originalLength);
    try {
      return (int) offlineFilter.invokeExact(program, header, frame) != 0;
    } catch (Throwable unexpected) {
      throw new AssertionError("pcap_offline_filter", unexpected);
    }
  }

  @Override
  public void close() {
    try {
      freeCode.invokeExact(program);
    } catch (Throwable unexpected) {
      throw new AssertionError("pcap_freecode", unexpected);
    }
    arena.close();
  }
}
