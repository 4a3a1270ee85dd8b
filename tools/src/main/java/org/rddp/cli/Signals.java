package org.rddp.cli;

import java.lang.reflect.Proxy;

/**
 * Handles signals of this process. Uses sun.misc.Signal by reflection: it is the only way of the
 * JDK, and the compiler warns of every direct use.
 */
final class Signals {
  private Signals() {}

  /** Takes back a shutdown hook, unless the JVM is shutting down. */
  static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      return;
    }
  }

  /**
   * Has a thread of the JVM run an action whenever SIGHUP comes, instead of ending the process.
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
