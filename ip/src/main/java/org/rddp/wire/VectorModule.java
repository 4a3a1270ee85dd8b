package org.rddp.wire;

/**
 * Loads the module of the Vector API without a warning. The module incubates, so a JVM started with
 * {@code --add-modules} for it prints a warning each time. A JVM started with {@code --add-exports
 * java.base/jdk.internal.module=ALL-UNNAMED} loads it here instead, as the JDK loads the module of
 * its management agent, and prints none. {@code -Drddp.without-vectors=true} makes the process do
 * without.
 */
public final class VectorModule {
  private static final String NAME = "jdk.incubator.vector";

  /** System property: true where the process is to do without the module. */
  private static final String OFF = "rddp.without-vectors";

  private static final boolean PRESENT = !Boolean.getBoolean(OFF) && (isInBootLayer() || load());

  private VectorModule() {}

  /**
   * Loads the module if necessary; returns whether it is present. Call this before any class that
   * needs the module is loaded.
   */
  public static boolean isPresent() {
    return PRESENT;
  }

  private static boolean isInBootLayer() {
    return ModuleLayer.boot().findModule(NAME).isPresent();
  }

  /** Loads the module; returns false if it does not exist or the JDK's method is not accessible. */
  private static boolean load() {
    try {
      Class.forName("jdk.internal.module.Modules")
          .getMethod("loadModule", String.class)
          .invoke(null, NAME);
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
