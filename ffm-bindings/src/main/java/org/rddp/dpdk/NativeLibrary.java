package org.rddp.dpdk;

import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.dpdk.generated.Dpdk;

/** Loads the shim once and checks that the bindings match it. */
final class NativeLibrary {
  /** System property that holds the path of {@code librddp_dpdk.so}. */
  static final String PROPERTY = "rddp.native";

  private static boolean loaded;

  private NativeLibrary() {}

  /**
   * Loads the shim unless it has been loaded.
   *
   * @throws DpdkException if it cannot be found or loaded, or does not match the bindings
   */
  static synchronized void load() {
    if (!loaded) {
      loadFrom(System.getProperty(PROPERTY));
      checkAbi(Dpdk.rddp_abi());
      LayoutCheck.check();
      loaded = true;
    }
  }

  private static void loadFrom(String path) {
    if (path == null || path.isEmpty()) {
      throw DpdkException.refused(
          "The system property "
              + PROPERTY
              + " is not set. Set it to the path of librddp_dpdk.so, which the module native builds"
              + " into native/target where DPDK is installed.");
    }
    Path library = Path.of(path).toAbsolutePath();
    if (!Files.isRegularFile(library)) {
      throw DpdkException.refused(
          "There is no file "
              + library
              + ", which the system property "
              + PROPERTY
              + " names. Install DPDK (Debian: libdpdk-dev) and build the module native.");
    }
    try {
      System.load(library.toString());
    } catch (UnsatisfiedLinkError e) {
      throw DpdkException.refused(
          "Cannot load "
              + library
              + ": "
              + e.getMessage()
              + ". Install the DPDK that it was built for (Debian: libdpdk-dev), or build the"
              + " module native again.",
          e);
    }
  }

  private static void checkAbi(int abi) {
    if (abi != Dpdk.RDDP_ABI()) {
      throw DpdkException.refused(
          "The shim has interface "
              + abi
              + ", the bindings "
              + Dpdk.RDDP_ABI()
              + ". Build the module native again.");
    }
  }
}
