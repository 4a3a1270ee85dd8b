package org.rddp.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Two network namespaces joined by a veth link, one for each end's thread. They have no names and
 * live as long as their threads: however the process ends, the kernel removes them and the link.
 *
 * <p>Needs the right to make namespaces (CAP_SYS_ADMIN) and the command {@code ip}.
 */
final class VethEnds implements NetworkEnds {
  private static final String SERVER = "10.99.0.1";
  private static final String CLIENT = "10.99.0.2";
  private static final String INTERFACE = "rddp0";

  private final CompletableFuture<Integer> serverThread = new CompletableFuture<>();
  private final CompletableFuture<Void> linked = new CompletableFuture<>();

  @Override
  public void enterServer() throws IOException, InterruptedException {
    try {
      LinuxCalls.unshareNetwork();
      serverThread.complete(LinuxCalls.threadId());
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
      LinuxCalls.unshareNetwork();
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

  @Override
  public String device() {
    return "veth";
  }

  private static void addAddress(String address) throws IOException, InterruptedException {
    ip("address", "add", address + "/24", "dev", INTERFACE);
    ip("link", "set", INTERFACE, "up");
  }

  /** Runs the command in the namespace of the calling thread, which a child process inherits. */
  private static void ip(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said.strip());
    }
  }
}
