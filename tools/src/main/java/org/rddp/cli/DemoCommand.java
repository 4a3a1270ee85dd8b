package org.rddp.cli;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.rddp.daemon.configuration.SizeText;
import org.rddp.demo.Demo;
import org.rddp.demo.DemoDevice;
import org.rddp.demo.DemoException;
import org.rddp.demo.DemoResult;
import org.rddp.demo.DemoSettings;
import org.rddp.dpdk.Hugepages;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rddp demo}: a verified transfer and a latency measurement on this machine. */
@Command(
    name = "demo",
    description = {
      "Start two daemons connected by a DPDK link, and a program on each: one writes into the"
          + " other's memory, and the other checks every octet. Then measure round trips over rddp"
          + " and over the kernel's TCP. The demo cleans up after itself."
    })
final class DemoCommand implements Callable<Integer> {
  private static final long LARGEST = 8L << 30;
  private static final long SMALLEST = 8;

  /** Huge pages that the two daemons need, and after them the round trips. */
  private static final long HUGEPAGES_NEEDED = 520L << 20;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256MiB",
      description = "Amount of data to transfer, up to 8GiB (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(
      names = "--mtu",
      paramLabel = "OCTETS",
      defaultValue = "1500",
      description = "The link's MTU, 576 to 9600 (default: ${DEFAULT-VALUE}).")
  private int mtu;

  @Option(names = "--ipv6", description = "Use IPv6 on the link.")
  private boolean ipv6;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Number of round trips (default: ${DEFAULT-VALUE}).")
  private int count;

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      description = {
        "Device that connects the daemons: ${COMPLETION-CANDIDATES}.",
        "vhost needs huge pages. Default: vhost if there are huge pages, otherwise memif."
      })
  private DemoDevice device;

  @Option(names = "--no-hugepages", description = "Do not use huge pages, even if there are some.")
  private boolean withoutHugepages;

  @Option(
      names = "--pcap",
      paramLabel = "FILE",
      description = "Capture the link's frames into a file for Wireshark.")
  private Path pcap;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    OptionChecks.require(
        spec, size >= SMALLEST && size <= LARGEST, "--size is 8 to 8GiB, not " + size);
    OptionChecks.require(spec, mtu >= 576 && mtu <= 9600, "--mtu is 576 to 9600, not " + mtu);
    OptionChecks.require(
        spec, !ipv6 || mtu >= 1280, "--mtu with --ipv6 is 1280 to 9600, not " + mtu);
    OptionChecks.require(spec, count >= 1, "--count is 1 or more, not " + count);
    if (pcap != null) {
      Path folder = pcap.toAbsolutePath().getParent();
      OptionChecks.require(
          spec, Files.isDirectory(folder), "--pcap: there is no directory " + folder);
    }
    boolean hugepages = !withoutHugepages && Hugepages.available() >= HUGEPAGES_NEEDED;
    DemoDevice chosen = device != null ? device : hugepages ? DemoDevice.VHOST : DemoDevice.MEMIF;
    if (chosen == DemoDevice.VHOST && !hugepages) {
      throw new CommandFailedException(
          "vhost needs huge pages, "
              + SizeText.format(HUGEPAGES_NEEDED)
              + " of them free: run sysctl -w vm.nr_hugepages=512 as root, or use --device memif");
    }
    return run(
        new DemoSettings(chosen, hugepages, size, mtu, ipv6, count, System.nanoTime(), pcap));
  }

  private int run(DemoSettings settings) throws IOException, InterruptedException {
    try (Demo demo = new Demo(settings, this::progress)) {
      Thread cleanUp = new Thread(() -> close(demo), "demo-end");
      Runtime.getRuntime().addShutdownHook(cleanUp);
      DemoResult result = demo.run();
      Runtime.getRuntime().removeShutdownHook(cleanUp);
      String text =
          json
              ? new GsonBuilder().setPrettyPrinting().create().toJson(result.toJson())
              : result.toTable();
      Output.println(spec, text);
      return result.verified() ? 0 : 1;
    } catch (DemoException e) {
      throw new CommandFailedException(e.getMessage(), e);
    }
  }

  private static void close(Demo demo) {
    try {
      demo.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void progress(String step) {
    spec.commandLine().getErr().println("  " + step);
    spec.commandLine().getErr().flush();
  }
}
