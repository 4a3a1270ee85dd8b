package org.rddp.dpdk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Arguments for {@link Eal#init}, for a program that polls from its own threads.
 *
 * <p>They keep DPDK from starting a thread per processor, from looking for PCI devices unless some
 * are named, and from opening a telemetry socket. Immutable: each method returns a new object.
 */
public final class EalArguments {
  private static final String VIRTUAL_ADDRESSES = "--iova-mode=va";
  private static final String PHYSICAL_ADDRESSES = "--iova-mode=pa";

  private static final String PROCESSORS = "--lcores";
  private static final Set<String> REPEATABLE = Set.of("--vdev", "--allow", "--log-level");

  private final List<String> arguments;

  private EalArguments(List<String> arguments) {
    this.arguments = List.copyOf(arguments);
  }

  /**
   * Arguments for memory in hugepages, allocated on demand and freed at the end of the process;
   * preferred if hugepages are available. The memory is in few unnamed files, because a vhost peer
   * maps at most eight.
   */
  public static EalArguments hugepages() {
    return common().and("--in-memory", "--single-file-segments");
  }

  /**
   * Arguments for memory in ordinary pages, for machines without hugepages. Slower. DPDK has no
   * files, which a process that is killed would leave behind, and which a full file system would
   * make fail.
   *
   * @param mebibytes all of the memory, allocated at once
   */
  public static EalArguments ordinaryPages(int mebibytes) {
    return common().and("--no-huge", "--no-shconf", "-m", Integer.toString(mebibytes));
  }

  private static EalArguments common() {
    return new EalArguments(List.of())
        .and("--no-telemetry", "--no-pci", VIRTUAL_ADDRESSES)
        .and(PROCESSORS, "0@(" + allowedProcessors() + ")")
        .and("--file-prefix", "rddp-" + ProcessHandle.current().pid());
  }

  /** Appends arguments. */
  public EalArguments and(String... further) {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(List.of(further));
    return new EalArguments(all);
  }

  /**
   * Appends arguments, and removes those here that they repeat: from 25.11 on, DPDK ends the
   * process if an argument that may occur once occurs twice.
   */
  public EalArguments overriddenBy(List<String> further) {
    Set<String> names = new HashSet<>();
    further.forEach(each -> names.add(option(each)));
    names.removeAll(REPEATABLE);
    List<String> all = new ArrayList<>();
    boolean kept = true;
    for (String each : arguments) {
      if (each.startsWith("-")) {
        kept = !names.contains(option(each));
      }
      if (kept) {
        all.add(each);
      }
    }
    all.addAll(further);
    return new EalArguments(all);
  }

  /**
   * The option that an argument sets, without its value; the three ways to name processors are one
   * option.
   */
  private static String option(String argument) {
    String name =
        argument.startsWith("--")
            ? argument.replaceFirst("=.*", "")
            : argument.substring(0, Math.min(2, argument.length()));
    return name.equals("-l") || name.equals("-c") ? PROCESSORS : name;
  }

  /**
   * Adds a PCI device by its address, such as {@code 0000:03:00.0}; only named PCI devices are
   * used.
   */
  public EalArguments withPciDevice(String address) {
    List<String> all = new ArrayList<>(arguments);
    all.remove("--no-pci");
    return new EalArguments(all).and("--allow", address);
  }

  /**
   * Makes devices use physical addresses instead of the process's own, for cards without an IOMMU.
   * Needs hugepages, and the right to read physical addresses (CAP_SYS_ADMIN).
   */
  public EalArguments withPhysicalAddresses() {
    List<String> all = new ArrayList<>(arguments);
    all.replaceAll(each -> each.equals(VIRTUAL_ADDRESSES) ? PHYSICAL_ADDRESSES : each);
    return new EalArguments(all);
  }

  /**
   * Whether a device is named by a PCI address, such as {@code 0000:03:00.0}, with or without the
   * domain.
   */
  public static boolean isPciAddress(String device) {
    return device.matches("([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\..*");
  }

  /** Limits DPDK's log to a level such as {@code error}, {@code notice} or {@code info}. */
  public EalArguments withLogLevel(String level) {
    return and("--log-level", level);
  }

  /** The arguments in order. */
  public List<String> list() {
    return arguments;
  }

  /**
   * The processors that this process may use, as a list. With all of them, DPDK does not restrict
   * its own threads to processors without an lcore.
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
}
