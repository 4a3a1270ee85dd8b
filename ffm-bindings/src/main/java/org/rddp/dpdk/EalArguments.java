package org.rddp.dpdk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Arguments for {@link Eal#init} that suit a program which polls from threads of its own.
 *
 * <p>They keep DPDK from starting a thread per processor, from looking for PCI devices unless some
 * are named, and from opening a telemetry socket. Immutable: each method returns other arguments.
 */
public final class EalArguments {
  private final List<String> arguments;

  private EalArguments(List<String> arguments) {
    this.arguments = List.copyOf(arguments);
  }

  /**
   * Memory in hugepages, as much as is needed, leaving none behind: the choice wherever there are
   * hugepages. All of it is in few files without names, because a vhost peer maps eight at most.
   */
  public static EalArguments hugepages() {
    return common(filePrefix(ProcessHandle.current().pid()))
        .and("--in-memory", "--single-file-segments");
  }

  /**
   * Memory in ordinary pages, where there are no hugepages. Slower.
   *
   * @param mebibytes all the memory that there will be, taken at once
   * @param filePrefix name of DPDK's files, which no other DPDK process may use at the same time
   */
  public static EalArguments ordinaryPages(int mebibytes, String filePrefix) {
    return common(filePrefix).and("--no-huge", "-m", Integer.toString(mebibytes));
  }

  private static EalArguments common(String filePrefix) {
    return new EalArguments(List.of())
        .and("--no-telemetry", "--no-pci", "--iova-mode=va")
        .and("--lcores", "0@(" + allowedProcessors() + ")")
        .and("--file-prefix", filePrefix);
  }

  /** With further arguments at the end. */
  public EalArguments and(String... further) {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(List.of(further));
    return new EalArguments(all);
  }

  /** With a virtual device, such as {@code net_memif0,role=client,id=0}. */
  public EalArguments withVirtualDevice(String deviceArguments) {
    return and("--vdev", deviceArguments);
  }

  /**
   * With a PCI device by its address, such as {@code 0000:03:00.0}, and no other that is not named.
   */
  public EalArguments withPciDevice(String address) {
    List<String> all = new ArrayList<>(arguments);
    all.remove("--no-pci");
    return new EalArguments(all).and("--allow", address);
  }

  /**
   * Whether a device is named by a PCI address, such as {@code 0000:03:00.0}, with or without the
   * domain.
   */
  public static boolean isPciAddress(String device) {
    return device.matches("([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\..*");
  }

  /** With what DPDK logs limited to a level such as {@code error}, {@code notice}, {@code info}. */
  public EalArguments withLogLevel(String level) {
    return and("--log-level", level);
  }

  /** The arguments in order. */
  public List<String> list() {
    return arguments;
  }

  /**
   * The processors that this process may use. DPDK's own threads may then use all of them too;
   * otherwise they would be kept to those that DPDK takes for no lcore.
   */
  private static String allowedProcessors() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("Cpus_allowed_list:"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("0");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return String.join(" ", arguments);
  }

  /** What the files of a process of rddp are called, unless it chose otherwise. */
  static String filePrefix(long pid) {
    return "rddp-" + pid;
  }
}
