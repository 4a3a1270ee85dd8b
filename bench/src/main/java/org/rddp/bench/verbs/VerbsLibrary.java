package org.rddp.bench.verbs;

import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.bench.harness.CannotRunException;

/** Finds what the build of the module verbs leaves if libibverbs' headers are installed. */
final class VerbsLibrary {
  /** The library that is preloaded. */
  static final String NAME = "librddp-verbs.so";

  private VerbsLibrary() {}

  /**
   * The path of a file of the module's target.
   *
   * @throws CannotRunException if it is not built
   */
  static Path built(String name) throws CannotRunException {
    // The shim over DPDK lies in native/target.
    Path shim = Path.of(System.getProperty("rddp.native", "native/target/x")).toAbsolutePath();
    Path file = shim.resolve("../../../verbs/target").resolve(name).normalize();
    if (!Files.isReadable(file)) {
      throw new CannotRunException("needs libibverbs-dev and librdmacm-dev: no " + file);
    }
    return file;
  }
}
