package org.rddp.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.LongConsumer;
import org.rddp.client.MemoryRegion;

/**
 * Writes a file into the peer's window part by part, so that it may be longer than the window. One
 * part is read from the file while the other is under way.
 */
final class FileSender {
  private final MessageChannel channel;
  private final MemoryRegion buffer;
  private final LongConsumer progress;
  private final boolean[] free = new boolean[TransferWindow.PARTS];

  /**
   * A sender.
   *
   * @param buffer for the parts of the file that are being sent, of any size
   * @param progress gets the number of octets sent so far
   */
  FileSender(MessageChannel channel, MemoryRegion buffer, LongConsumer progress) {
    this.channel = channel;
    this.buffer = buffer;
    this.progress = progress;
  }

  /** Sends all of a file, and its digest. */
  void send(FileChannel file, int stag, long to, long window) throws IOException {
    // Each end divides its own memory; a part is as long as the shorter of the two.
    long theirs = TransferWindow.partOctets(window);
    long ours = TransferWindow.partOctets(buffer.length());
    long partOctets = Math.min(theirs, ours);
    MessageDigest digest = TransferWindow.digest();
    Arrays.fill(free, true);
    long done = 0;
    long size = file.size();
    for (int part = 0; done < size; part = (part + 1) % TransferWindow.PARTS) {
      awaitFree(part);
      int octets = (int) Math.min(partOctets, size - done);
      MemorySegment memory = buffer.segment().asSlice(part * ours, octets);
      read(file, memory);
      digest.update(memory.asByteBuffer());
      channel.write(buffer, part * ours, octets, stag, to + part * theirs);
      channel.send(new TransferMessage.Filled(part, octets).encode());
      free[part] = false;
      done += octets;
      progress.accept(done);
    }
    channel.send(new TransferMessage.End(HexFormat.of().formatHex(digest.digest())).encode());
  }

  private static void read(FileChannel file, MemorySegment memory) throws IOException {
    ByteBuffer octets = memory.asByteBuffer();
    while (octets.hasRemaining()) {
      if (file.read(octets) < 0) {
        throw new IOException("the file became shorter while it was read");
      }
    }
  }

  private void awaitFree(int part) {
    while (!free[part]) {
      free[drained(TransferMessage.decode(channel.receive()))] = true;
    }
  }

  /** The peer's result after the end of the file, skipping parts that it has drained. */
  TransferMessage.Result result() {
    while (true) {
      TransferMessage message = TransferMessage.decode(channel.receive());
      if (message instanceof TransferMessage.Result result) {
        return result;
      }
      free[drained(message)] = true;
    }
  }

  private static int drained(TransferMessage message) {
    if (message instanceof TransferMessage.Drained drained
        && drained.part() >= 0
        && drained.part() < TransferWindow.PARTS) {
      return drained.part();
    }
    if (message instanceof TransferMessage.Result result) {
      throw new IllegalStateException("the peer gave up: " + result.text());
    }
    throw new IllegalStateException("the peer sent an unexpected message");
  }
}
