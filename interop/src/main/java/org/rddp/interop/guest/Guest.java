package org.rddp.interop.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * The virtual machine: runs shell commands sent to its ports, one at a time on each.
 *
 * <p>A port answers with the command's output and a line with {@code __END__} and the exit code.
 */
public final class Guest implements AutoCloseable {
  private static final String END = "__END__ ";

  private final SocketChannel[] ports;

  /**
   * Connects to a running guest.
   *
   * @param directory of its ports, {@code port0} and so on
   */
  public Guest(Path directory, int count) throws IOException {
    ports = new SocketChannel[count];
    for (int i = 0; i < count; i++) {
      ports[i] = SocketChannel.open(StandardProtocolFamily.UNIX);
      ports[i].connect(UnixDomainSocketAddress.of(directory.resolve("port" + i)));
    }
  }

  /**
   * The result of a command.
   *
   * @param status exit code; 137 after a timeout
   * @param output standard output and standard error
   */
  public record Result(int status, String output) {
    /** Throws unless the exit code is 0. */
    public Result orThrow() {
      if (status != 0) {
        throw new IllegalStateException("in the guest, status " + status + ": " + brief());
      }
      return this;
    }

    /** The end of the output, in one line. */
    public String brief() {
      String line = output.strip().replaceAll("\\s+", " ");
      return line.substring(Math.max(0, line.length() - 300));
    }
  }

  /**
   * Starts a command.
   *
   * @param port on which nothing else runs
   * @param seconds after which it is killed
   */
  public CompletableFuture<Result> start(int port, int seconds, String command) {
    String line = "timeout -s KILL " + seconds + " " + command + "\n";
    CompletableFuture<Result> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            result.complete(run(ports[port], line));
          } catch (IOException | RuntimeException failure) {
            result.completeExceptionally(failure);
          }
        });
    return result;
  }

  /** Runs a short command. */
  public Result run(int port, String command) {
    return start(port, 30, command).join();
  }

  private static Result run(SocketChannel port, String line) throws IOException {
    ByteBuffer octets = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    while (octets.hasRemaining()) {
      port.write(octets);
    }
    StringBuilder said = new StringBuilder();
    ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
    while (true) {
      int end = said.indexOf(END);
      int newline = end < 0 ? -1 : said.indexOf("\n", end);
      if (newline >= 0) {
        int status = Integer.parseInt(said.substring(end + END.length(), newline).strip());
        return new Result(status, said.substring(0, end));
      }
      if (port.read(buffer.clear()) < 0) {
        throw new IOException("the guest is gone");
      }
      said.append(StandardCharsets.UTF_8.decode(buffer.flip()));
    }
  }

  @Override
  public void close() {
    for (SocketChannel port : ports) {
      try {
        port.close();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
