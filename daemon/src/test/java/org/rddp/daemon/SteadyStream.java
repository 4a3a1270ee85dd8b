package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;

/**
 * Two programs with an octet stream: one writes as long as the test wants, the other one sends all
 * back. Every octet must come once, in order, both ways. All threads block while they wait.
 */
final class SteadyStream implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int PIECE = 7919;

  private final StreamSession here;
  private final StreamSession there;
  private final ProgramStream out;
  private final ProgramStream in;
  private final AtomicLong octets = new AtomicLong();
  private final CompletableFuture<Void> end;
  private volatile boolean stopping;

  /**
   * Connects, and begins.
   *
   * @param control socket of the daemon
   * @param from local address
   */
  SteadyStream(Path control, String from, InetSocketAddress to) throws IOException {
    here = StreamSession.open(control, "here");
    there = StreamSession.open(control, "there");
    try (ProgramListener listener = there.listen(to, 8, 0)) {
      out = here.connect(to, InetAddress.getByName(from), 0, TIMEOUT);
      in = listener.accept(TIMEOUT);
      out.awaitConnected();
    }
    end =
        CompletableFuture.allOf(
            start("writer", this::write), start("echo", this::echo), start("reader", this::read));
  }

  private static CompletableFuture<Void> start(String name, Callable<Void> task) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            task.call();
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        },
        runnable -> new Thread(runnable, name).start());
  }

  /** Octets that have come back. */
  private long octets() {
    if (end.isCompletedExceptionally()) {
      end.join();
    }
    return octets.get();
  }

  /** Waits for so many further octets. */
  void awaitOctets(int more) {
    long wanted = octets() + more;
    TestDaemon.await(() -> octets() >= wanted, more + " octets have come back");
  }

  private static byte octet(long at) {
    return (byte) ((at * 0x9e3779b97f4a7c15L) >>> 56);
  }

  private Void write() throws IOException {
    byte[] piece = new byte[PIECE];
    for (long at = 0; !stopping; at += piece.length) {
      for (int i = 0; i < piece.length; i++) {
        piece[i] = octet(at + i);
      }
      out.write(piece);
    }
    out.endSending();
    return null;
  }

  private Void echo() throws IOException {
    byte[] piece = new byte[PIECE];
    for (int read = in.read(piece, 0, PIECE); read >= 0; read = in.read(piece, 0, PIECE)) {
      in.write(Arrays.copyOf(piece, read));
    }
    in.endSending();
    return null;
  }

  private Void read() throws IOException {
    byte[] piece = new byte[PIECE];
    for (int read = out.read(piece, 0, PIECE); read >= 0; read = out.read(piece, 0, PIECE)) {
      long at = octets.get();
      for (int i = 0; i < read; i++) {
        if (piece[i] != octet(at + i)) {
          throw new AssertionError("octet " + (at + i) + " differs");
        }
      }
      octets.addAndGet(read);
    }
    assertThat(octets.get() % PIECE).as("all has come back").isZero();
    return null;
  }

  /** Ends when everything that was written has come back. */
  @Override
  public void close() {
    stopping = true;
    try {
      end.join();
    } catch (CompletionException e) {
      // Another one than octets() throws: the caller's, if it was that, can take it along.
      throw new AssertionError(e.getCause());
    }
    out.close();
    in.close();
    here.close();
    there.close();
  }
}
