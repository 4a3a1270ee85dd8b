package org.rddp.daemon.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The kernel's setting for huge pages in shared memory. Unless it is {@code deny}, a program can
 * move the memory that it shares with the daemon into huge pages (MADV_COLLAPSE), and an engine
 * that touches that memory meanwhile waits. No seal forbids it.
 */
final class SharedHugePages {
  static final Path SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");

  private SharedHugePages() {}

  /**
   * The warning at the daemon's start; empty if the setting is {@code deny}, or if the kernel has
   * no such setting and so no such pages.
   */
  static String warning(Path setting) {
    try {
      return Files.readString(setting).contains("[deny]")
          ? ""
          : "programs can make an engine wait (MADV_COLLAPSE). Where programs are hostile: echo deny > "
              + setting;
    } catch (IOException e) {
      return "";
    }
  }
}
