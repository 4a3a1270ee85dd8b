package org.rddp.wire;

/**
 * The module of the Vector API. It incubates, so a JVM that is started with {@code --add-modules}
 * for it prints a warning each time. A JVM that is started with {@code --add-exports
 * java.base/jdk.internal.module=ALL-UNNAMED} instead loads it here, as the JDK loads the module of
 * its management agent, and prints none.
 */
public final class VectorModule {
  private static final String NAME = "jdk.incubator.vector";
  private static final boolean PRESENT = isInBootLayer() || load();

  private VectorModule() {}

  /** Whether the module is there. To be called before any class that needs it is loaded. */
  public static boolean isPresent() {
    return PRESENT;
  }

  private static boolean isInBootLayer() {
    return ModuleLayer.boot().findModule(NAME).isPresent();
  }

  /** Loads the module; false without the module, or without access to the JDK's method. */
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
