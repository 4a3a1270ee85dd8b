package org.rddp.bench.crc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** CRC32c of Intel's ISA-L, as Debian packages it (libisal2). */
final class IsaL {
  private static final String LIBRARY = "libisal.so.2";
  private static final FunctionDescriptor CRC32_ISCSI =
      FunctionDescriptor.of(
          ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);

  /** Constant for HotSpot; null where the library is missing. */
  private static final MethodHandle HANDLE = handle();

  private IsaL() {}

  private static MethodHandle handle() {
    try {
      return SymbolLookup.libraryLookup(LIBRARY, Arena.global())
          .find("crc32_iscsi")
          .map(symbol ->
              Linker.nativeLinker()
                  .downcallHandle(symbol, CRC32_ISCSI, Linker.Option.critical(false)))
          .orElse(null);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  static Optional<IsaL> find() {
    return HANDLE == null ? Optional.empty() : Optional.of(new IsaL());
  }

  int run(long address, int length, int times) {
    int sum = 0;
    try {
      for (int i = 0; i < times; i++) {
        sum += ~(int) HANDLE.invokeExact(address, length, -1);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    return sum;
  }
}
