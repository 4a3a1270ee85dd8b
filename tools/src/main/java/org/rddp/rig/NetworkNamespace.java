package org.rddp.rig;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A network namespace that a thread of this process holds. Other threads, also of other processes,
 * enter it by its file. The kernel removes it once it is closed, or this process ends, and no
 * thread is in it.
 *
 * <p>Needs the right to make namespaces (CAP_SYS_ADMIN) and the commands {@code ip} and {@code
 * nsenter}.
 */
public final class NetworkNamespace implements AutoCloseable {
  private static final int CLONE_NEWNET = 0x40000000;
  private static final int O_RDONLY = 0;
  private static final SystemCall UNSHARE = SystemCall.bind("unshare", "i:i");
  private static final SystemCall GETTID = SystemCall.bind("gettid", "i:");
  private static final SystemCall OPEN = SystemCall.bind("open", "i:li.");
  private static final SystemCall SETNS = SystemCall.bind("setns", "i:ii");

  private final CountDownLatch closed = new CountDownLatch(1);
  private final int thread;

  /**
   * Creates a namespace with nothing but a loopback interface that is down.
   *
   * @throws IOException when it may not be made
   */
  public NetworkNamespace(String name) throws IOException, InterruptedException {
    CompletableFuture<Integer> made = new CompletableFuture<>();
    Thread.ofPlatform().daemon().name("namespace-" + name).start(() -> hold(made));
    thread = PinnedThread.result(made);
  }

  private void hold(CompletableFuture<Integer> made) {
    try {
      made.complete(enterNew());
      closed.await();
    } catch (IOException failure) {
      made.completeExceptionally(failure);
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Moves the calling thread, a platform thread, into a new, empty network namespace.
   *
   * @return the kernel's id of the thread, for {@code ip link set ... netns}
   * @throws SystemCallException if that is not allowed: it needs CAP_SYS_ADMIN
   */
  static int enterNew() throws SystemCallException {
    UNSHARE.call(CLONE_NEWNET);
    return (int) GETTID.call();
  }

  /** The file by which threads {@link #enter} it. */
  public String file() {
    return "/proc/" + ProcessHandle.current().pid() + "/task/" + thread + "/ns/net";
  }

  /** The id of the thread that holds the namespace, for {@code ip link set ... netns}. */
  public int holder() {
    return thread;
  }

  /**
   * Moves the calling thread, which must be a platform thread, into a namespace. Processes that it
   * starts and sockets that it opens later are there, too.
   *
   * @param file of {@link #file}
   * @throws IOException when the namespace is gone, or may not be entered
   */
  public static void enter(String file) throws IOException {
    try (Arena arena = Arena.ofConfined();
        Descriptor namespace =
            Descriptor.of(OPEN.call(arena.allocateFrom(file).address(), O_RDONLY))) {
      SETNS.call(namespace.number(), CLONE_NEWNET);
    } catch (SystemCallException e) {
      throw new IOException("network namespace " + file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Runs a command in the namespace.
   *
   * @return the command's output, stripped
   * @throws IOException with the output, when the command fails
   */
  public String run(String... command) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("nsenter", "--net=" + file()));
    all.addAll(List.of(command));
    Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said.strip());
    }
    return said.strip();
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
