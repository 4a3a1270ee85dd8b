package org.rddp.daemon;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.rddp.client.types.Reason;
import org.rddp.ddp.DdpEngine;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.TcpStack;

/**
 * Loads all classes of the daemon at its start. Loading one from a directory needs a descriptor; if
 * none is left, it fails, and the JVM repeats that failure at every later use of the class. A jar
 * stays open once one of its classes has been loaded.
 */
final class EagerClasses {
  private static final String SUFFIX = ".class";

  /** A class of each module. */
  private static final List<Class<?>> MODULES =
      List.of(
          Daemon.class,
          Reason.class,
          DdpEngine.class,
          MpaSettings.class,
          TcpStack.class,
          DpdkDevice.class);

  private EagerClasses() {}

  /**
   * Loads the classes of every module.
   *
   * @throws IOException if the modules cannot be read
   */
  static void load() throws IOException {
    for (Class<?> module : MODULES) {
      String file = module.getName().replace('.', '/') + SUFFIX;
      // Not the class's CodeSource, which has no location where HotSpot has archived the class.
      URI found = URI.create(module.getClassLoader().getResource(file).toString());
      if (found.getScheme().equals("file")) {
        String path = found.getPath();
        load(Path.of(path.substring(0, path.length() - file.length())));
      }
    }
  }

  private static void load(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = root.relativize(file).toString();
        if (name.startsWith("org/rddp/") && name.endsWith(SUFFIX)) {
          load(name.substring(0, name.length() - SUFFIX.length()).replace('/', '.'));
        }
      }
    }
  }

  private static void load(String name) {
    try {
      Class<?> ignored = Class.forName(name, false, EagerClasses.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      // For example, a class that needs an optional module of the JDK, which the daemon does not
      // use.
    }
  }
}
