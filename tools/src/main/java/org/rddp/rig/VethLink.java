package org.rddp.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A veth link between two network namespaces that two threads enter: its MTU and what the kernel
 * leaves to it can be chosen. Namespaces and link live as long as their threads.
 *
 * <p>Needs the right to make namespaces (CAP_SYS_ADMIN) and the commands {@code ip} and {@code
 * ethtool}.
 */
public final class VethLink {
  private static final String FIRST = "10.98.0.1";
  private static final String SECOND = "10.98.0.2";
  private static final String INTERFACE = "rddp0";
  private static final List<String> OFFLOADS = List.of("tx", "rx", "tso", "gso", "gro");

  private final int mtu;
  private final boolean offloads;
  private final CompletableFuture<Integer> firstThread = new CompletableFuture<>();
  private final CompletableFuture<Void> linked = new CompletableFuture<>();

  /**
   * A link that nobody has entered.
   *
   * @param mtu in octets
   * @param offloads whether the kernel may leave checksums and cutting segments to the link, which
   *     does neither: octets then go over in units of up to 64 KiB
   */
  public VethLink(int mtu, boolean offloads) {
    this.mtu = mtu;
    this.offloads = offloads;
  }

  /** Brings the calling thread to the first end, for good; waits for the second. */
  public void enterFirst() throws IOException, InterruptedException {
    try {
      firstThread.complete(NetworkNamespace.enterNew());
    } catch (IOException failure) {
      firstThread.completeExceptionally(failure);
      throw failure;
    }
    PinnedThread.result(linked);
    configure(FIRST);
  }

  /** Brings the calling thread to the second end, for good; waits for the first. */
  public void enterSecond() throws IOException, InterruptedException {
    try {
      NetworkNamespace.enterNew();
      String first = Integer.toString(PinnedThread.result(firstThread));
      run(
          "ip", "link", "add", INTERFACE, "type", "veth", "peer", "name", INTERFACE, "netns",
          first);
      configure(SECOND);
      linked.complete(null);
    } catch (IOException failure) {
      linked.completeExceptionally(failure);
      throw failure;
    }
  }

  private void configure(String address) throws IOException, InterruptedException {
    run("ip", "link", "set", INTERFACE, "mtu", Integer.toString(mtu));
    if (!offloads) {
      List<String> command = new ArrayList<>(List.of("ethtool", "-K", INTERFACE));
      for (String each : OFFLOADS) {
        Collections.addAll(command, each, "off");
      }
      run(command.toArray(String[]::new));
    }
    run("ip", "address", "add", address + "/24", "dev", INTERFACE);
    run("ip", "link", "set", INTERFACE, "up");
  }

  /** The first end's address. */
  public static InetAddress first() {
    return InetAddress.ofLiteral(FIRST);
  }

  /** Runs the command in the namespace of the calling thread, which a child process inherits. */
  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said.strip());
    }
  }
}
