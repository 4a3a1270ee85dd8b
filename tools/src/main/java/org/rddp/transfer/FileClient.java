package org.rddp.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/** Puts a file into a remote program, or gets one out of it. */
public final class FileClient {
  private static final Duration STEP = Duration.ofSeconds(20);

  /** Observes a transfer. */
  @FunctionalInterface
  public interface Progress {
    /**
     * The transfer begins.
     *
     * @param octets in all
     * @return gets the number of octets done so far
     */
    LongConsumer begin(long octets);
  }

  private final Rddp session;
  private final RemoteHost server;
  private final long windowOctets;
  private final Progress progress;

  /**
   * A client.
   *
   * @param windowOctets of memory for the transfer
   */
  public FileClient(Rddp session, RemoteHost server, long windowOctets, Progress progress) {
    this.session = session;
    this.server = server;
    this.windowOctets = windowOctets;
    this.progress = progress;
  }

  /**
   * Puts a file: writes it into the server's memory, which stores it under a name.
   *
   * @return the file's SHA-256, computed by the server
   */
  public String put(Path path, String name) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        MemoryRegion buffer = session.allocate(windowOctets);
        MessageChannel channel = connect()) {
      channel.send(new TransferMessage.Put(name, file.size()).encode());
      TransferMessage.Accepted go = go(channel);
      if (go.window() < TransferWindow.SMALLEST) {
        throw new IllegalStateException("the server offers " + go.window() + " octets");
      }
      FileSender sender = new FileSender(channel, buffer, progress.begin(file.size()));
      sender.send(file, go.stag(), go.to(), go.window());
      TransferMessage.Result result = sender.result();
      if (!result.good()) {
        throw new IOException("the server: " + result.text());
      }
      return result.text();
    }
  }

  /**
   * Gets a file: the server writes it into this program's memory.
   *
   * @param target the file to create, once all of it has been received
   * @return its SHA-256, computed by the server
   */
  public String get(String name, Path target) throws IOException {
    if (Files.isDirectory(target)) {
      throw new IOException(target + " is a directory: give the path of a file");
    }
    Path folder = target.toAbsolutePath().getParent();
    Path part = Files.createTempFile(folder, ".rddp-", ".part");
    try (MemoryRegion window =
            session.allocate(windowOctets, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MessageChannel channel = connect()) {
      channel.send(
          new TransferMessage.Get(name, window.stag(), window.baseTo(), window.length()).encode());
      TransferMessage.Accepted go = go(channel);
      String digest;
      try (FileChannel file = FileChannel.open(part, StandardOpenOption.WRITE);
          MemoryRegion used = window.register(0, Math.min(go.window(), window.length()))) {
        digest =
            new FileReceiver(channel, used, progress.begin(go.octets())).receive(file, go.octets());
      }
      channel.send(new TransferMessage.Result(true, digest).encode());
      channel.flush();
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
      return digest;
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private MessageChannel connect() {
    Connection connection =
        server.connect(session, PrivateData.NONE, STEP, ConnectionOptions.DEFAULTS);
    return new MessageChannel(session, connection, STEP);
  }

  private static TransferMessage.Accepted go(MessageChannel channel) throws IOException {
    return switch (TransferMessage.decode(channel.receive())) {
      case TransferMessage.Accepted go -> go;
      case TransferMessage.Result result -> throw new IOException("the server: " + result.text());
      default -> throw new IllegalStateException("the server speaks another protocol");
    };
  }
}
