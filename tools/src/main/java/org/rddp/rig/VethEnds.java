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
  private static final String SERVER = "10.99.0.1";
  private static final String CLIENT = "10.99.0.2";
  private static final String INTERFACE = "rddp0";

  private final CompletableFuture<Integer> serverThread = new CompletableFuture<>();
  private final CompletableFuture<Void> linked = new CompletableFuture<>();
  private final boolean offloads;

  /** With everything that a veth link leaves to nobody: checksums, and frames of up to 64 KiB. */
  public VethEnds() {
    this(true);
  }

  /**
   * With or without offloads: checksums, cutting segments and putting them together.
   *
   * @param offloads false: every frame is as long as a real one, and has real checksums
   */
  public VethEnds(boolean offloads) {
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
    addAddress(SERVER);
  }

  @Override
  public void enterClient() throws IOException, InterruptedException {
    try {
      NetworkNamespace.enterNew();
      String server = Integer.toString(PinnedThread.result(serverThread));
      ip("link", "add", INTERFACE, "type", "veth", "peer", "name", INTERFACE, "netns", server);
      addAddress(CLIENT);
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

  private void addAddress(String address) throws IOException, InterruptedException {
    ip("address", "add", address + "/24", "dev", INTERFACE);
    if (!offloads) {
      run("ethtool -K " + INTERFACE + " tx off rx off tso off gso off gro off");
    }
    ip("link", "set", INTERFACE, "up");
  }

  private static void ip(String... arguments) throws IOException, InterruptedException {
    run("ip " + String.join(" ", arguments));
  }

  /** Runs the command in the namespace of the calling thread, which a child process inherits. */
  private static void run(String words) throws IOException, InterruptedException {
    List<String> command = List.of(words.split(" ", -1));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said.strip());
    }
  }
}
