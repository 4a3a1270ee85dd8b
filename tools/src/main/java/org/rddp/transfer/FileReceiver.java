package org.rddp.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.function.LongConsumer;
import org.rddp.client.MemoryRegion;

/** Receives a file part by part through a window that the peer writes, and checks its SHA-256. */
final class FileReceiver {
  private final MessageChannel channel;
  private final MemoryRegion window;
  private final LongConsumer progress;

  /**
   * A receiver.
   *
   * @param window that the peer writes into
   * @param progress gets the number of octets received so far
   */
  FileReceiver(MessageChannel channel, MemoryRegion window, LongConsumer progress) {
    this.channel = channel;
    this.window = window;
    this.progress = progress;
  }

  /**
   * Receives all of a file.
   *
   * @return its SHA-256, equal to the peer's
   * @throws IOException when the digests differ, or the file cannot be written
   */
  String receive(FileChannel file, long octets) throws IOException {
    long partOctets = TransferWindow.partOctets(window.length());
    MessageDigest digest = TransferWindow.digest();
    long done = 0;
    while (true) {
      TransferMessage message = TransferMessage.decode(channel.receive());
      switch (message) {
        case TransferMessage.Filled filled -> {
          if (filled.part() < 0
              || filled.part() >= TransferWindow.PARTS
              || filled.octets() < 1
              || filled.octets() > partOctets) {
            throw new IllegalStateException("the peer filled a part that does not exist");
          }
          ByteBuffer part =
              window.segment().asSlice(filled.part() * partOctets, filled.octets()).asByteBuffer();
          digest.update(part.duplicate());
          while (part.hasRemaining()) {
            file.write(part);
          }
          done += filled.octets();
          progress.accept(done);
          channel.send(new TransferMessage.Drained(filled.part()).encode());
        }
        case TransferMessage.End end -> {
          return check(end.digest(), HexFormat.of().formatHex(digest.digest()), done, octets);
        }
        case TransferMessage.Result result ->
            throw new IllegalStateException("the peer gave up: " + result.text());
        default -> throw new IllegalStateException("the peer sent an unexpected message");
      }
    }
  }

  private static String check(String theirs, String ours, long done, long octets)
      throws IOException {
    if (done != octets) {
      throw new IOException("received " + done + " octets of " + octets);
    }
    if (!theirs.equals(ours)) {
      throw new IOException("SHA-256 differs: sent " + theirs + ", received " + ours);
    }
    return ours;
  }
}
