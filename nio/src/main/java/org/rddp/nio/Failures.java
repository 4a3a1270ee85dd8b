package org.rddp.nio;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import org.rddp.client.RefusedException;
import org.rddp.client.streams.StreamException;
import org.rddp.ipc.linux.Errno;

/** The exceptions with which the JDK tells error numbers of Linux. */
final class Failures {
  private Failures() {}

  static <T extends Throwable> T caused(T thrown, Throwable cause) {
    thrown.initCause(cause);
    return thrown;
  }

  /**
   * What a socket of a channel throws once that is closed: an interrupt is told as it is, by the
   * Javadoc of {@link java.net.Socket#getInputStream}, the rest by that of {@link
   * java.net.Socket#close}.
   */
  static IOException ofClosed(String message, ClosedChannelException e) {
    return e instanceof ClosedByInterruptException ? e : caused(new SocketException(message), e);
  }

  /** A stream that could not be established. */
  static IOException ofConnect(StreamException e) {
    return caused(ofConnect(e.errno(), null), e);
  }

  private static SocketException ofConnect(int errno, String text) {
    String more = text == null ? "" : ": " + text;
    return switch (errno) {
      case Errno.ECONNREFUSED -> new ConnectException("Connection refused" + more);
      case Errno.EHOSTDOWN ->
          new ConnectException("Connection refused: the host does not speak rddp" + more);
      case Errno.ETIMEDOUT -> new ConnectException("Connection timed out" + more);
      case Errno.EHOSTUNREACH -> new NoRouteToHostException("No route to host" + more);
      case Errno.EADDRINUSE -> new BindException("Address already in use" + more);
      case Errno.EADDRNOTAVAIL -> new BindException("Cannot assign requested address" + more);
      case Errno.EACCES -> new BindException("Permission denied" + more);
      case Errno.ENOBUFS -> new SocketException("No buffer space available" + more);
      case Errno.ECONNRESET -> new SocketException("Connection reset" + more);
      default -> new SocketException("error number " + errno + " of Linux" + more);
    };
  }

  /** A request that the daemon has refused. */
  static IOException of(RefusedException e) {
    return caused(ofConnect(errno(e), e.getMessage()), e);
  }

  private static int errno(RefusedException e) {
    if (e.errno() != 0) {
      return e.errno();
    }
    return switch (e.reason()) {
      case ADDRESS_IN_USE -> Errno.EADDRINUSE;
      case NO_INTERFACE, UNREACHABLE -> Errno.EHOSTUNREACH;
      case PERMISSION -> Errno.EACCES;
      case LIMIT, RESOURCES -> Errno.ENOBUFS;
      default -> Errno.EINVAL;
    };
  }

  /** The error number of a connection's failure; 0: it has none. */
  static int errno(IOException e) {
    return switch (e.getCause()) {
      case StreamException failed -> failed.errno();
      case RefusedException refused -> errno(refused);
      case null, default -> 0;
    };
  }

  /** A stream that has failed after it was established. */
  static IOException ofStream(StreamException e) {
    return e.errno() == Errno.ECONNRESET
        ? caused(new SocketException("Connection reset"), e)
        : caused(ofConnect(e.errno(), null), e);
  }
}
