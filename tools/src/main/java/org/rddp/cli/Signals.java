package org.rddp.cli;

import java.lang.reflect.Proxy;

/**
 * Handles signals of this process. Uses sun.misc.Signal by reflection: the JDK has no other way,
 * and the compiler warns of every direct use.
 */
final class Signals {
  private Signals() {}

  /** Removes a shutdown hook, unless the JVM is shutting down. */
  static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      return;
    }
  }

  /**
   * Runs an action on a JVM thread at each SIGHUP, which no longer ends the process.
   *
   * @throws CommandFailedException if this JVM has no signals
   */
  static void onHangup(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
    } catch (ReflectiveOperationException e) {
      throw new CommandFailedException("this JVM cannot handle signals: " + e, e);
    }
  }
}
