package org.rddp.bench.layout;

import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.bench.harness.CannotRunException;

/** Finds what the builds of modules in C leave in their folders {@code target}. */
public final class BuiltFile {
  private BuiltFile() {}

  /**
   * The path of a file.
   *
   * @param module whose target has it
   * @param name of the file
   * @param needs what its build needs, for the error
   * @throws CannotRunException if it is not built
   */
  public static Path of(String module, String name, String needs) throws CannotRunException {
    // The shim over DPDK lies in native/target.
    Path shim = Path.of(System.getProperty("rddp.native", "native/target/x")).toAbsolutePath();
    Path file = shim.resolve(Path.of("../../..", module, "target", name)).normalize();
    if (!Files.isReadable(file)) {
      throw new CannotRunException("needs " + needs + ": no " + file);
    }
    return file;
  }
}
