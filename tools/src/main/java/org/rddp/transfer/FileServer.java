package org.rddp.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SessionLimits;

/**
 * Serves the files of one folder to clients that put and get, each in a thread of its own. In a put
 * the client writes into the server's memory, in a get the server writes into the client's. As many
 * clients are served at a time as the session's limits allow; others are rejected.
 */
public final class FileServer {
  private static final Duration STEP = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Receives of a client; the protocol has fewer messages under way. */
  private static final int SLOTS = 8;

  /** Receives, and sends and writes under way. */
  private static final int REQUESTS = 2 * SLOTS;

  /** The window, and a region each for messages in and out. */
  private static final int REGIONS = 3;

  private final SharedSession shared;
  private final Rddp session;
  private final Path directory;
  private final long windowOctets;
  private final Consumer<String> log;
  private final int mostClients;
  private final Set<Thread> clients = ConcurrentHashMap.newKeySet();

  /**
   * A server.
   *
   * @param directory of the files
   * @param windowOctets of the region that a client writes into
   * @param log gets a line once it listens, and for each transfer, from several threads
   * @throws RefusedException when the session may not have such a region
   */
  public FileServer(Rddp session, Path directory, long windowOctets, Consumer<String> log) {
    this.session = session;
    this.directory = directory;
    this.windowOctets = windowOctets;
    this.log = log;
    shared = new SharedSession(session);
    SessionLimits limits = session.limits();
    int most = Math.min(limits.connections(), limits.regions() / REGIONS);
    mostClients = Math.max(1, Math.min(most, limits.completions() / REQUESTS));
    // Fails now if the window is too large, instead of for every client.
    window().close();
  }

  private MemoryRegion window() {
    return session.allocate(windowOctets, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  }

  /** Serves until the thread is interrupted, or one client if {@code once}. */
  public void serve(int port, boolean once) {
    try (Listener listener = HeldMessages.listen(session, port)) {
      log.accept("serving " + directory + " at " + AddressText.of(listener.address()));
      IdleStrategy idle = new BackoffIdleStrategy(100, 1000, 1_000, 1_000_000);
      boolean one = false;
      while (!Thread.currentThread().isInterrupted() && !(one && clients.isEmpty())) {
        IncomingConnection incoming = next(listener, one);
        if (incoming != null) {
          begin(incoming);
          one = once;
        }
        idle.idle(shared.poll());
      }
    } finally {
      end();
    }
  }

  /** The next client; waits for it if there is none to be served. */
  private IncomingConnection next(Listener listener, boolean one) {
    if (one) {
      return null;
    }
    return clients.isEmpty() ? listener.await(POLL) : listener.poll();
  }

  private void begin(IncomingConnection incoming) {
    if (clients.size() >= mostClients) {
      reject(incoming, "the server has " + mostClients + " clients, the most it serves");
      return;
    }
    Thread thread =
        new Thread(() -> serve(incoming), "client " + AddressText.of(incoming.remoteAddress()));
    thread.setDaemon(true);
    clients.add(thread);
    thread.start();
  }

  private void serve(IncomingConnection incoming) {
    try (MemoryRegion window = window();
        MessageChannel channel = new MessageChannel(shared, incoming.connection(), STEP, SLOTS)) {
      incoming.accept();
      try {
        serve(channel, window);
      } catch (IOException | IllegalStateException e) {
        channel.send(new TransferMessage.Result(false, String.valueOf(e.getMessage())).encode());
        log.accept("failed: " + e.getMessage());
      }
      channel.flush();
      channel.awaitEnd();
    } catch (RefusedException e) {
      reject(incoming, e.getMessage());
    } catch (RddpException | IllegalStateException e) {
      log.accept(
          "the connection of " + AddressText.of(incoming.remoteAddress()) + ": " + e.getMessage());
    } finally {
      clients.remove(Thread.currentThread());
    }
  }

  private void reject(IncomingConnection incoming, String reason) {
    log.accept("rejected " + AddressText.of(incoming.remoteAddress()) + ": " + reason);
    try {
      incoming.reject(PrivateData.of(reason.getBytes(StandardCharsets.UTF_8)));
    } catch (RefusedException e) {
      log.accept(
          "cannot reject " + AddressText.of(incoming.remoteAddress()) + ": " + e.getMessage());
    }
  }

  /** Ends the transfers under way. */
  private void end() {
    boolean interrupted = Thread.interrupted();
    for (Thread client : clients) {
      client.interrupt();
    }
    for (Thread client : clients) {
      try {
        client.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(MessageChannel channel, MemoryRegion window) throws IOException {
    switch (TransferMessage.decode(channel.receive())) {
      case TransferMessage.Put put -> receive(channel, window, put);
      case TransferMessage.Get get -> send(channel, window, get);
      default -> throw new IllegalStateException("a transfer begins with put or get");
    }
  }

  /** Writes to a temporary file first, so that an aborted transfer leaves nothing. */
  private void receive(MessageChannel channel, MemoryRegion window, TransferMessage.Put put)
      throws IOException {
    Path target = resolve(put.name());
    Path part = Files.createTempFile(directory, ".rddp-", ".part");
    try {
      String digest;
      try (FileChannel file = FileChannel.open(part, StandardOpenOption.WRITE)) {
        channel.send(
            new TransferMessage.Accepted(
                    window.stag(), window.baseTo(), window.length(), put.octets())
                .encode());
        digest = new FileReceiver(channel, window, done -> {}).receive(file, put.octets());
      }
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
      channel.send(new TransferMessage.Result(true, digest).encode());
      log.accept("put " + put.name() + ", " + put.octets() + " octets, SHA-256 " + digest);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private void send(MessageChannel channel, MemoryRegion window, TransferMessage.Get get)
      throws IOException {
    Path source = resolve(get.name());
    if (!Files.isRegularFile(source)) {
      throw new IOException("there is no file " + get.name());
    }
    if (get.window() < TransferWindow.SMALLEST) {
      throw new IllegalStateException("a window of " + get.window() + " octets");
    }
    try (FileChannel file = FileChannel.open(source, StandardOpenOption.READ)) {
      long octets = file.size();
      long used = Math.min(window.length(), get.window());
      channel.send(new TransferMessage.Accepted(0, 0, used, octets).encode());
      FileSender sender = new FileSender(channel, window, done -> {});
      sender.send(file, get.stag(), get.to(), used);
      TransferMessage.Result result = sender.result();
      log.accept(
          "get "
              + get.name()
              + ", "
              + octets
              + " octets: "
              + (result.good() ? "SHA-256 " + result.text() : "failed, " + result.text()));
    }
  }

  private Path resolve(String name) throws IOException {
    try {
      Path plain = Path.of(name);
      // The empty name has one part, too.
      if (!name.isEmpty()
          && plain.getNameCount() == 1
          && !plain.isAbsolute()
          && !name.startsWith(".")) {
        Path resolved = directory.resolve(plain);
        if (Files.isDirectory(resolved)) {
          throw new IOException("'" + name + "' is a directory at the server: give another name");
        }
        return resolved;
      }
    } catch (InvalidPathException e) {
      throw new IOException("'" + name + "' is not a file name", e);
    }
    throw new IOException("'" + name + "' is not a plain file name");
  }
}
