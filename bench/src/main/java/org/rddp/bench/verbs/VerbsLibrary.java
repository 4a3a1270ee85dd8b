package org.rddp.bench.verbs;

import java.nio.file.Path;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.layout.BuiltFile;

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
    return BuiltFile.of("verbs", name, "libibverbs-dev and librdmacm-dev");
  }
}
