package org.rddp.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Two network namespaces joined by a veth link, one for each end's thread. They have no names and
 * live as long as their threads: however the process ends, the kernel removes them and the link.
 *
 * <p>Needs the right to make namespaces (CAP_SYS_ADMIN) and the command {@code ip}; and {@code
 * ethtool} to do without offloads.
 */
public final class VethEnds implements NetworkEnds {
  /** The name of each end's interface, in its namespace. */
  public static final String INTERFACE = "rddp0";

  private static final String SERVER = "10.99.0.1";
  private static final String CLIENT = "10.99.0.2";
  private static final int MTU = 1500;

  private final CompletableFuture<Integer> serverThread = new CompletableFuture<>();
  private final CompletableFuture<Void> linked = new CompletableFuture<>();
  private final int mtu;
  private final boolean offloads;

  /** Ends of a link with an MTU of 1500. */
  public VethEnds(boolean offloads) {
    this(MTU, offloads);
  }

  /**
   * Ends of a link that no thread has entered.
   *
   * @param mtu in octets
   * @param offloads whether the kernel may leave checksums and segmentation to the link, which does
   *     neither: octets then cross it in units of up to 64 KiB. Otherwise every frame is as long as
   *     a real one and has real checksums.
   */
  public VethEnds(int mtu, boolean offloads) {
    this.mtu = mtu;
    this.offloads = offloads;
  }

  @Override
  public void enterServer() throws IOException, InterruptedException {
    try {
      serverThread.complete(NetworkNamespace.enterNew());
    } catch (IOException failure) {
      serverThread.completeExceptionally(failure);
      throw failure;
    }
    PinnedThread.result(linked);
    configure(SERVER);
  }

  @Override
  public void enterClient() throws IOException, InterruptedException {
    try {
      NetworkNamespace.enterNew();
      String server = Integer.toString(PinnedThread.result(serverThread));
      run("ip link add " + INTERFACE + " type veth peer name " + INTERFACE + " netns " + server);
      configure(CLIENT);
      linked.complete(null);
    } catch (IOException failure) {
      linked.completeExceptionally(failure);
      throw failure;
    }
  }

  @Override
  public InetAddress serverAddress() {
    return InetAddress.ofLiteral(SERVER);
  }

  /** The client's address, as both ends know it. */
  public InetAddress clientAddress() {
    return InetAddress.ofLiteral(CLIENT);
  }

  @Override
  public String device() {
    return "veth";
  }

  private void configure(String address) throws IOException, InterruptedException {
    run("ip link set " + INTERFACE + " mtu " + mtu);
    run("ip address add " + address + "/24 dev " + INTERFACE);
    if (!offloads) {
      run("ethtool -K " + INTERFACE + " tx off rx off tso off gso off gro off");
    }
    run("ip link set " + INTERFACE + " up");
  }

  /** Runs a command in the namespace of the calling thread, which a child process inherits. */
  private static void run(String words) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(List.of(words.split(" ", -1))).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(words + ": " + said.strip());
    }
  }
}
