package org.rddp.ipc.control;

import java.io.EOFException;
import java.io.IOException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * One end of the socket pair of a listener of octet streams: the daemon offers established streams,
 * and whoever of the program's processes receives one has it. Never waits. Not thread-safe.
 */
public final class OfferSocket implements AutoCloseable {
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;

  private static final SystemCall SENDMSG = SystemCall.bind("sendmsg", "l:ili");
  private static final SystemCall RECVMSG = SystemCall.bind("recvmsg", "l:ili");

  private final Descriptor socket;
  private final SocketMessage message = new SocketMessage();

  /** Wraps one end, which is closed with this. */
  public OfferSocket(Descriptor socket) {
    this.socket = socket;
  }

  /** Readable when a stream waits, and at the end. */
  public Descriptor descriptor() {
    return socket;
  }

  /**
   * Offers a stream; its descriptors are duplicated.
   *
   * @return false if there is no room now
   * @throws IOException if nobody holds the other end
   */
  public boolean offer(StreamOffer offer) throws IOException {
    message.fill(offer.encode());
    long sent;
    do {
      sent = SENDMSG.attempt(socket.number(), message.address(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent == -Errno.EINTR);
    if (sent == -Errno.EAGAIN || sent == -Errno.ETOOMANYREFS) {
      return false;
    }
    if (sent < 0) {
      throw new SystemCallException("sendmsg", (int) -sent);
    }
    return true;
  }

  /**
   * Receives a stream.
   *
   * @return null if none waits
   * @throws EOFException if the listener has ended
   */
  public StreamOffer receive() throws IOException {
    message.prepare();
    long octets;
    do {
      octets = RECVMSG.attempt(socket.number(), message.address(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (octets == -Errno.EINTR);
    if (octets == -Errno.EAGAIN) {
      return null;
    }
    if (octets < 0) {
      throw new SystemCallException("recvmsg", (int) -octets);
    }
    MessageBuffer buffer = message.received((int) octets);
    if (octets == 0) {
      throw new EOFException("the listener has ended");
    }
    return StreamOffer.decode(buffer);
  }

  @Override
  public void close() {
    socket.close();
  }
}
