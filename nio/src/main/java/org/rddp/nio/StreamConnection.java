package org.rddp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamException;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.ring.AdaptivePolling;
import org.rddp.ipc.ring.StreamEnds;

/**
 * A connection over rddp: its octets, and the waits of calls that block. One thread connects or
 * reads at a time, and one writes; all other methods are for any thread. Every method but {@link
 * #close} fails with {@link AsynchronousCloseException}, or finds nothing ready, once it is closed.
 */
final class StreamConnection {
  private static final int IPV4 = 2;

  private final Shared<ProgramStream> shared;
  private final InetSocketAddress local;
  private final InetSocketAddress remote;
  private final AdaptivePolling readPolling;
  private final AdaptivePolling writePolling;
  private volatile boolean closed;
  private volatile boolean inputClosed;
  private volatile boolean outputClosed;
  private volatile Waiter reader;
  private volatile Waiter writer;

  /**
   * A connection of this stream, which it closes.
   *
   * @param polling the longest time, in ns, for which a call polls before it sleeps
   */
  StreamConnection(ProgramStream opened, long polling) {
    readPolling = new AdaptivePolling(polling, opened.session()::leaveEngines);
    writePolling = new AdaptivePolling(polling, opened.session()::leaveEngines);
    StreamEnds ends = opened.ends();
    local = address(ends.family(), ends.local(), ends.localPort());
    remote = address(ends.family(), ends.remote(), ends.remotePort());
    shared = new Shared<>(opened, opened.socket().descriptor(), opened::hangUp, opened::close);
  }

  private static InetSocketAddress address(int family, byte[] octets, int port) {
    byte[] own = family == IPV4 ? Arrays.copyOf(octets, 4) : octets;
    try {
      return new InetSocketAddress(InetAddress.getByAddress(own), port);
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 octets are an address", e);
    }
  }

  InetSocketAddress local() {
    return local;
  }

  InetSocketAddress remote() {
    return remote;
  }

  /** What selectors watch. */
  Shared<ProgramStream> shared() {
    return shared;
  }

  boolean isInputClosed() {
    return inputClosed;
  }

  boolean isOutputClosed() {
    return outputClosed;
  }

  private ProgramStream acquire() throws AsynchronousCloseException {
    ProgramStream own = shared.acquire();
    if (own == null) {
      throw new AsynchronousCloseException();
    }
    return own;
  }

  private static long timeLeft(long nanos, long end) {
    return nanos == 0 ? Waiter.LONGEST : end - System.nanoTime();
  }

  // ---- Connecting ----

  /**
   * Returns whether it is established; false: not yet.
   *
   * @param wait whether to wait for the outcome
   * @param nanos the longest time to wait; 0: no limit
   * @throws SocketTimeoutException if the outcome is not known then
   */
  boolean connect(boolean wait, long nanos) throws IOException {
    ProgramStream own = acquire();
    try {
      if (wait) {
        awaitDecided(own, nanos);
      } else {
        own.lookForEnd();
        if (!own.isDecided()) {
          return false;
        }
      }
      own.check();
      return true;
    } catch (StreamException e) {
      if (nanos > 0 && e.errno() == Errno.ETIMEDOUT) {
        // The daemon has the same limit.
        throw Failures.caused(new SocketTimeoutException("Connect timed out"), e);
      }
      throw Failures.ofConnect(e);
    } finally {
      shared.release();
    }
  }

  private void awaitDecided(ProgramStream own, long nanos) throws IOException {
    long end = System.nanoTime() + nanos;
    Waiter waiter = Waiter.current();
    reader = waiter;
    try {
      while (true) {
        own.armReceiving();
        if (closed) {
          throw new AsynchronousCloseException();
        }
        if (own.isDecided()) {
          return;
        }
        long left = timeLeft(nanos, end);
        if (left <= 0) {
          throw new SocketTimeoutException("Connect timed out");
        }
        waiter.await(own.socket().descriptor(), Waiter.Event.IN, left);
      }
    } finally {
      reader = null;
    }
  }

  // ---- Octets ----

  /**
   * Reads what is there. Returns how many octets, or -1 at the end.
   *
   * @param wait whether to wait for the first
   * @param nanos the longest time to wait; 0: no limit
   * @throws SocketTimeoutException if none has come then
   */
  int read(ByteBuffer into, boolean wait, long nanos) throws IOException {
    if (inputClosed) {
      return -1;
    }
    ProgramStream own = acquire();
    try {
      int octets = own.read(into);
      if (octets <= 0 && !into.hasRemaining()) {
        return 0;
      }
      return octets == 0 && wait ? awaitRead(own, into, nanos) : octets;
    } catch (StreamException e) {
      throw Failures.ofStream(e);
    } finally {
      shared.release();
    }
  }

  private int awaitRead(ProgramStream own, ByteBuffer into, long nanos) throws IOException {
    // Fails now if this thread cannot use the memory, and not when octets have come.
    into.get(into.position());
    readPolling.begin();
    while (readPolling.goesOn()) {
      int octets = own.read(into);
      if (octets != 0) {
        readPolling.succeed();
        return octets;
      }
      if (closed || inputClosed) {
        return closed ? 0 : -1;
      }
    }
    long end = System.nanoTime() + nanos;
    Waiter waiter = Waiter.current();
    reader = waiter;
    try {
      while (true) {
        own.armReceiving();
        int octets = own.read(into);
        if (octets != 0) {
          return octets;
        }
        if (closed || inputClosed) {
          return closed ? 0 : -1;
        }
        long left = timeLeft(nanos, end);
        if (left <= 0) {
          throw new SocketTimeoutException("Read timed out");
        }
        waiter.await(own.socket().descriptor(), Waiter.Event.IN, left);
      }
    } finally {
      reader = null;
    }
  }

  /** Octets that can be read without waiting. */
  int available() {
    ProgramStream own = inputClosed ? null : shared.acquire();
    if (own == null) {
      return 0;
    }
    try {
      return (int) (own.header().received() - own.header().consumed());
    } finally {
      shared.release();
    }
  }

  /**
   * Writes what there is room for.
   *
   * @param wait whether to wait for room until everything is written, or the end
   */
  void write(ByteBuffer from, boolean wait) throws IOException {
    if (outputClosed) {
      throw new ClosedChannelException();
    }
    ProgramStream own = acquire();
    try {
      own.write(from);
      while (wait && from.hasRemaining() && awaitRoom(own)) {
        own.write(from);
      }
    } catch (StreamException e) {
      throw Failures.ofStream(e);
    } finally {
      shared.release();
    }
  }

  /** Returns false if nothing can be written any more. */
  private boolean awaitRoom(ProgramStream own) throws IOException {
    writePolling.begin();
    while (writePolling.goesOn()) {
      if (own.isWritable()) {
        writePolling.succeed();
        return true;
      }
      if (closed || outputClosed) {
        return false;
      }
    }
    Waiter waiter = Waiter.current();
    writer = waiter;
    try {
      while (true) {
        own.armSending();
        if (closed || outputClosed) {
          return false;
        }
        if (own.isWritable()) {
          return true;
        }
        waiter.await(own.socket().descriptor(), Waiter.Event.OUT, Waiter.LONGEST);
      }
    } finally {
      writer = null;
    }
  }

  // ---- Ends ----

  private static void wake(Waiter waiter) {
    if (waiter != null) {
      waiter.wake();
    }
  }

  void endReceiving() throws IOException {
    ProgramStream own = acquire();
    inputClosed = true;
    own.endReceiving();
    shared.release();
    wake(reader);
  }

  void endSending() throws IOException {
    ProgramStream own = acquire();
    outputClosed = true;
    own.endSending();
    shared.release();
    wake(writer);
  }

  /**
   * Closes it: calls that wait end, and the stream is freed after the last.
   *
   * @param reset whether the peer gets a reset
   */
  void close(boolean reset) {
    closed = true;
    ProgramStream own = reset ? shared.acquire() : null;
    if (own != null) {
      own.abortAtClose();
      shared.release();
    }
    shared.close();
    wake(reader);
    wake(writer);
  }

  // ---- For selectors ----

  /**
   * See {@link RddpChannel#readyOperations}; {@code pending}: it is not known to be established.
   */
  int readyOperations(int interest, boolean pending) {
    ProgramStream own = shared.acquire();
    if (own == null) {
      return 0;
    }
    try {
      if (pending) {
        return own.isDecided() ? interest & SelectionKey.OP_CONNECT : 0;
      }
      int ready = 0;
      if ((interest & SelectionKey.OP_READ) != 0 && (inputClosed || own.isReadable())) {
        ready |= SelectionKey.OP_READ;
      }
      if ((interest & SelectionKey.OP_WRITE) != 0 && (outputClosed || own.isWritable())) {
        ready |= SelectionKey.OP_WRITE;
      }
      return ready;
    } finally {
      shared.release();
    }
  }

  /** See {@link RddpChannel#arm}. */
  void arm(int interest, boolean pending, boolean told) {
    ProgramStream own = shared.acquire();
    if (own == null) {
      return;
    }
    try {
      boolean forRoom = (interest & SelectionKey.OP_WRITE) != 0 && !pending;
      if (told) {
        if (forRoom) {
          own.askForRoom();
        }
        return;
      }
      if ((interest & (SelectionKey.OP_READ | SelectionKey.OP_CONNECT)) != 0) {
        own.armReceiving();
      }
      if (forRoom) {
        own.armSending();
      }
    } finally {
      shared.release();
    }
  }
}
