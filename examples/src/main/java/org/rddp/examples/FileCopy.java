package org.rddp.examples;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * Copies a file to a peer. The sender writes chunks in turn into two halves of the receiver's
 * memory, and sends an empty message behind each. The receiver stores the chunk, and answers with
 * an empty message; so one chunk is on its way while the one before is stored.
 */
public final class FileCopy {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int CHUNK = 1 << 20;

  /** Messages that arrive before their receive is posted wait in the daemon. */
  private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULTS.withHeldOctets(4096);

  private FileCopy() {}

  /** Sends a file; reports after each chunk how many octets the receiver has stored. */
  public static void send(
      Rddp session, InetSocketAddress receiver, Path file, LongConsumer progress)
      throws IOException {
    try (FileChannel source = FileChannel.open(file, StandardOpenOption.READ);
        MemoryRegion chunks = session.allocate(2L * CHUNK, Access.LOCAL_WRITE)) {
      long size = source.size();
      PrivateData announced = PrivateData.of(ByteBuffer.allocate(Long.BYTES).putLong(size).array());
      try (Connection peer = session.connect(receiver, announced, TIMEOUT, OPTIONS)) {
        RemoteBuffer sink = RemoteBuffer.from(peer.privateData());
        long stored = 0;
        for (long at = 0; at < size; at += CHUNK) {
          long half = at / CHUNK % 2 * CHUNK;
          int length = (int) Math.min(CHUNK, size - at);
          read(source, chunks.segment().asSlice(half, length).asByteBuffer(), at);
          peer.blocking().write(chunks, half, length, sink.stag(), sink.to() + half, TIMEOUT);
          peer.blocking().send(chunks, 0, 0, TIMEOUT);
          if (at > 0) {
            stored = acknowledged(peer, chunks, stored, size, progress);
          }
        }
        while (stored < size) {
          stored = acknowledged(peer, chunks, stored, size, progress);
        }
      }
    }
  }

  private static void read(FileChannel source, ByteBuffer to, long from) throws IOException {
    while (to.hasRemaining()) {
      if (source.read(to, from + to.position()) < 0) {
        throw new IOException("the file has become shorter");
      }
    }
  }

  private static long acknowledged(
      Connection peer, MemoryRegion memory, long stored, long size, LongConsumer progress) {
    peer.blocking().receive(memory, 0, 0, TIMEOUT);
    long now = Math.min(size, stored + CHUNK);
    progress.accept(now);
    return now;
  }

  /** Receives one file; returns its octets. */
  public static long receive(Rddp session, Listener listener, Path file) throws IOException {
    IncomingConnection incoming = listener.await(TIMEOUT);
    if (incoming == null) {
      throw new IOException("nobody has sent a file within " + TIMEOUT);
    }
    long size = ByteBuffer.wrap(incoming.privateData().toByteArray()).getLong();
    try (FileChannel sink =
            FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        MemoryRegion chunks =
            session.allocate(2L * CHUNK, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        Connection peer = incoming.accept(RemoteBuffer.of(chunks).toPrivateData())) {
      for (long at = 0; at < size; at += CHUNK) {
        peer.blocking().receive(chunks, 0, 0, TIMEOUT);
        long length = Math.min(CHUNK, size - at);
        ByteBuffer chunk = chunks.segment().asSlice(at / CHUNK % 2 * CHUNK, length).asByteBuffer();
        while (chunk.hasRemaining()) {
          sink.write(chunk);
        }
        peer.blocking().send(chunks, 0, 0, TIMEOUT);
      }
    }
    return size;
  }

  /** A listener for {@link #receive}. Port 0: any free one. */
  public static Listener listen(Rddp session, int port) {
    return session.listen(new InetSocketAddress(port), 1, OPTIONS);
  }
}
