package org.rddp.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.Consumer;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;

/**
 * Serves the files of one folder to clients that put and get, one after the other. In a put the
 * client writes into the server's memory, in a get the server writes into the client's.
 */
public final class FileServer {
  private static final Duration STEP = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofSeconds(1);

  private final Rddp session;
  private final Path directory;
  private final MemoryRegion window;
  private final Consumer<String> log;

  /**
   * A server.
   *
   * @param directory of the files
   * @param windowOctets of the region that clients write into
   * @param log gets a line for each transfer
   */
  public FileServer(Rddp session, Path directory, long windowOctets, Consumer<String> log) {
    this.session = session;
    this.directory = directory;
    this.window = session.allocate(windowOctets, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    this.log = log;
  }

  /** Serves until the thread is interrupted, or one client if {@code once}. */
  public void serve(int port, boolean once) {
    try (Listener listener = session.listen(port)) {
      while (!Thread.currentThread().isInterrupted()) {
        IncomingConnection incoming = listener.await(POLL);
        if (incoming != null) {
          serve(incoming);
          if (once) {
            return;
          }
        }
      }
    }
  }

  private void serve(IncomingConnection incoming) {
    try (MessageChannel channel = new MessageChannel(session, incoming.connection(), STEP)) {
      incoming.accept();
      try {
        serve(channel);
      } catch (IOException | IllegalStateException e) {
        channel.send(new TransferMessage.Result(false, String.valueOf(e.getMessage())).encode());
        log.accept("failed: " + e.getMessage());
      }
      channel.flush();
      while (!channel.isOver()) {
        channel.poll();
        session.await(Duration.ofMillis(10));
      }
    } catch (SessionLostException e) {
      throw e;
    } catch (RddpException | IllegalStateException e) {
      log.accept("a client's connection: " + e.getMessage());
    }
  }

  private void serve(MessageChannel channel) throws IOException {
    switch (TransferMessage.decode(channel.receive())) {
      case TransferMessage.Put put -> receive(channel, put);
      case TransferMessage.Get get -> send(channel, get);
      default -> throw new IllegalStateException("a transfer begins with put or get");
    }
  }

  /** Writes to a temporary file first, so that an aborted transfer leaves nothing. */
  private void receive(MessageChannel channel, TransferMessage.Put put) throws IOException {
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

  private void send(MessageChannel channel, TransferMessage.Get get) throws IOException {
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
      if (plain.getNameCount() == 1 && !plain.isAbsolute() && !name.startsWith(".")) {
        return directory.resolve(plain);
      }
    } catch (InvalidPathException e) {
      throw new IOException("'" + name + "' is no name of a file", e);
    }
    throw new IOException("'" + name + "' is not a plain name of a file");
  }
}
