package org.rddp.daemon;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.DeviceName;
import org.rddp.daemon.configuration.DpdkConfiguration;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.MachineProblem;
import org.rddp.daemon.configuration.SizeText;
import org.rddp.dpdk.Hugepages;

/**
 * Checks whether the machine has what a configuration names, without touching it: DPDK's own
 * messages are hard to read, and a process can start DPDK only once.
 */
final class MachineChecks {
  /** Where DPDK looks for the kernel's drivers. */
  private static final Path KERNEL_MODULES = Path.of("/sys/module");

  private final List<MachineProblem> problems = new ArrayList<>();

  /** Sockets at which vhost ends of earlier interfaces will listen. */
  private final Set<String> ownSockets = new HashSet<>();

  private MachineChecks() {}

  /** All problems, in the order of the configuration; empty if there are none. */
  static List<MachineProblem> problems(Configuration configuration) {
    MachineChecks checks = new MachineChecks();
    checks.checkSysfs();
    checks.checkHugepages(configuration.dpdk());
    checks.problems.addAll(EnginePlacement.problems(configuration));
    for (int i = 0; i < configuration.interfaces().size(); i++) {
      checks.checkDevice(i + 1, configuration.interfaces().get(i));
    }
    return checks.problems;
  }

  private void checkSysfs() {
    if (!Files.isDirectory(KERNEL_MODULES)) {
      problems.add(
          MachineProblem.of(
              "dpdk",
              "arguments",
              "there is no folder "
                  + KERNEL_MODULES
                  + ", without which DPDK does not start; allowed: a container that has all of the"
                  + " kernel's sysfs mounted at /sys"));
    }
  }

  private void checkHugepages(DpdkConfiguration dpdk) {
    if (!dpdk.hugepages()) {
      return;
    }
    long free = Hugepages.available();
    if (free == 0) {
      problems.add(
          MachineProblem.of(
              "dpdk",
              "hugepages",
              "no huge pages are free; allowed: reserve them first, as root (sysctl -w"
                  + " vm.nr_hugepages="
                  + (dpdk.memory() >> 21)
                  + "), or hugepages = false, which is slower"));
    } else if (free < dpdk.memory()) {
      problems.add(
          MachineProblem.of(
              "dpdk",
              "memory",
              SizeText.format(dpdk.memory())
                  + " is more than the huge pages that are free; allowed: at most "
                  + SizeText.format(free)
                  + ", or reserve more first, as root (sysctl -w vm.nr_hugepages=...), or hugepages ="
                  + " false, which is slower"));
    }
  }

  private void checkDevice(int number, InterfaceConfiguration configured) {
    DeviceName device = configured.device();
    if (device.kind() == DeviceName.Kind.PCI) {
      String problem = PciCards.OF_MACHINE.problem(device.name());
      if (problem != null) {
        refuse(number, problem);
      }
    } else if (device.linuxInterface() != null) {
      checkLinuxInterface(number, configured, device.linuxInterface());
    } else {
      checkSocket(number, device);
    }
  }

  private void checkLinuxInterface(int number, InterfaceConfiguration configured, String name) {
    OptionalInt mtu = LinuxInterfaces.mtu(name);
    if (mtu.isEmpty()) {
      List<String> names = LinuxInterfaces.names();
      refuse(
          number,
          "there is no Linux interface "
              + name
              + "; allowed: "
              + (names.isEmpty()
                  ? "one of this network namespace, which has none"
                  : "one of " + String.join(", ", names)));
    } else if (mtu.getAsInt() < configured.mtu()) {
      problems.add(
          MachineProblem.ofInterface(
              number,
              "mtu",
              "the Linux interface "
                  + name
                  + " carries an MTU of "
                  + mtu.getAsInt()
                  + "; allowed: at most that, or raise it first (ip link set "
                  + name
                  + " mtu "
                  + configured.mtu()
                  + ")"));
    } else {
      checkCapabilities(number, name, configured);
    }
  }

  /**
   * Opening a socket for frames needs CAP_NET_RAW; every start of net_af_packet needs
   * CAP_NET_ADMIN, as XDP does, too, since it sets the interface's flags, even unchanged
   * (promiscuous_disable, SIOCSIFFLAGS).
   */
  private void checkCapabilities(int number, String name, InterfaceConfiguration configured) {
    List<Capabilities> needed = new ArrayList<>(List.of(Capabilities.CAP_NET_RAW));
    if (!configured.usesPacketSockets()) {
      needed.add(Capabilities.CAP_NET_ADMIN);
    }
    if (configured.device().kind() == DeviceName.Kind.XDP) {
      needed.add(Capabilities.CAP_BPF);
    }
    List<Capabilities> missing = Capabilities.missing(needed);
    if (!missing.isEmpty()) {
      refuse(
          number,
          "the Linux interface "
              + name
              + " can be used only with "
              + names(needed, " and ")
              + ", and this process has no "
              + names(missing, " and no ")
              + "; allowed: give it "
              + names(missing, " and ")
              + " (AmbientCapabilities= of a service, --cap-add of a container), or root");
    }
  }

  private static String names(List<Capabilities> capabilities, String between) {
    return capabilities.stream().map(Capabilities::name).collect(Collectors.joining(between));
  }

  private void checkSocket(int number, DeviceName device) {
    switch (device.driver()) {
      case "net_vhost" -> {
        String socket = device.arguments().get("iface");
        boolean listens = !device.arguments().getOrDefault("client", "0").equals("1");
        if (socket != null && checkFolder(number, socket) && listens) {
          checkUnused(number, socket);
          ownSockets.add(socket);
        }
      }
      case "net_virtio_user", "virtio_user" -> {
        String socket = device.arguments().get("path");
        boolean connects = !device.arguments().getOrDefault("server", "0").equals("1");
        if (socket != null && checkFolder(number, socket) && connects) {
          checkListener(number, socket);
        }
      }
      case "net_memif" -> {
        String socket = device.arguments().get("socket");
        boolean file = device.arguments().getOrDefault("socket-abstract", "yes").equals("no");
        if (socket != null && file && checkFolder(number, socket)) {
          checkMemif(number, device, socket);
        }
      }
      default -> {}
    }
  }

  private boolean checkFolder(int number, String socket) {
    Path folder = Path.of(socket).toAbsolutePath().getParent();
    if (folder == null || Files.isDirectory(folder)) {
      return true;
    }
    refuse(
        number,
        "there is no folder "
            + folder
            + "; allowed: a path in an existing one, or make it first (mkdir -p "
            + folder
            + ")");
    return false;
  }

  private void checkUnused(int number, String socket) {
    if (Files.exists(Path.of(socket))) {
      refuse(
          number,
          "the file "
              + socket
              + " exists already; allowed: a new path, or remove the file first if no process"
              + " listens there (one that was killed leaves it)");
    }
  }

  private void checkListener(int number, String socket) {
    if (!ownSockets.contains(socket) && !Files.exists(Path.of(socket))) {
      refuse(
          number,
          "no process listens at "
              + socket
              + "; allowed: the socket of a vhost end that is started first");
    }
  }

  private void checkMemif(int number, DeviceName device, String socket) {
    if (device.arguments().getOrDefault("role", "").equals("server")) {
      checkUnused(number, socket);
      ownSockets.add(socket);
    } else {
      checkListener(number, socket);
    }
  }

  private void refuse(int number, String message) {
    problems.add(MachineProblem.ofInterface(number, "device", message));
  }
}
