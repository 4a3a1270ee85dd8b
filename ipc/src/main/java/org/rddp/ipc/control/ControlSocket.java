package org.rddp.ipc.control;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnixSocket;

/**
 * One end of a control connection: sends and receives {@link ControlMessage}s with their
 * descriptors. Never blocks: wait for it with a {@link org.rddp.ipc.linux.PollSet}.
 *
 * <p>One thread receives; any thread may send. After {@link #close()} every call throws.
 */
public final class ControlSocket implements AutoCloseable {
  private static final int MSG_CTRUNC = 8;
  private static final int MSG_TRUNC = 0x20;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;
  private static final long RETRY_NANOS = 1_000_000;

  private static final Map<Integer, MessageCodec> FROM_PROGRAMS =
      MessageCodec.byType(ProgramMessage.class);
  private static final Map<Integer, MessageCodec> FROM_DAEMON =
      MessageCodec.byType(DaemonMessage.class);

  private static final SystemCall SENDMSG = SystemCall.bind("sendmsg", "l:ili");
  private static final SystemCall RECVMSG = SystemCall.bind("recvmsg", "l:ili");

  private final Descriptor socket;
  private final PeerCredentials peer;
  private final Descriptor peerProcess;
  private final SocketMessage outgoing = new SocketMessage();
  private final SocketMessage incoming = new SocketMessage();

  /**
   * Whether a message with descriptors has been sent since the other end was last seen to have
   * received everything.
   */
  private boolean descriptorsInFlight;

  ControlSocket(Descriptor socket) throws SystemCallException {
    this(socket, false);
  }

  private ControlSocket(Descriptor socket, boolean descriptorsInFlight) throws SystemCallException {
    this.socket = socket;
    this.descriptorsInFlight = descriptorsInFlight;
    this.peer = UnixSocket.peerCredentials(socket);
    this.peerProcess = UnixSocket.peerProcess(socket);
  }

  /**
   * Goes on with the daemon's end of a connection that another process had.
   *
   * @param socket closed with this object; if this throws, it is the caller's
   */
  public static ControlSocket inherit(Descriptor socket) throws SystemCallException {
    return new ControlSocket(socket, true);
  }

  /**
   * Connects to the daemon that listens at a path.
   *
   * @param timeoutNanos longest wait while more programs want to connect than the daemon has
   *     accepted; an interrupt ends the wait, too
   */
  public static ControlSocket connect(Path path, long timeoutNanos) throws SystemCallException {
    long start = System.nanoTime();
    while (true) {
      try {
        return connect(path);
      } catch (SystemCallException e) {
        // The backlog is full. Nothing reports that it has room again.
        // An interrupted thread does not park, so it must not try again either.
        if (e.errno() != Errno.EAGAIN
            || Thread.currentThread().isInterrupted()
            || System.nanoTime() - start >= timeoutNanos) {
          throw e;
        }
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  /** Connects to the daemon that listens at a path; fails if its backlog is full. */
  public static ControlSocket connect(Path path) throws SystemCallException {
    Descriptor socket = UnixSocket.open();
    try {
      UnixSocket.connect(socket, path);
      return new ControlSocket(socket);
    } catch (SystemCallException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Ready when a message can be received or the other end is closed. */
  public Descriptor descriptor() {
    return socket;
  }

  /** The process at the other end. */
  public PeerCredentials peer() {
    return peer;
  }

  /**
   * A pidfd that is ready when the peer's process has ended: there is no end-of-file while a forked
   * child still holds the socket. Null if the kernel does not support it (before 6.5).
   */
  public Descriptor peerProcess() {
    return peerProcess;
  }

  /**
   * Sends a message with duplicates of its descriptors. The caller still owns the descriptors.
   *
   * <p>The kernel limits the descriptors in flight per user. So only those of one message are in
   * flight at a time: an end that does not read cannot use up the limit for others.
   *
   * @return false if the message has to wait because the other end does not read, or because the
   *     kernel allows no more descriptors in flight
   * @throws IOException if the other end is closed; or if a descriptor of the message is, because
   *     what it names was freed while the message waited
   */
  public synchronized boolean send(ControlMessage message) throws IOException {
    MessageCodec codec = MessageCodec.of(message);
    // Before the message is encoded: it may be tried many times.
    boolean hasDescriptors = codec.hasDescriptors(message);
    if (hasDescriptors && hasDescriptorsInFlight()) {
      return false;
    }
    MessageBuffer buffer = codec.encode(message);
    if (!buffer.descriptors().stream().allMatch(Descriptor::isOpen)) {
      throw new IOException("what a message was to hand over was freed before it could be sent");
    }
    outgoing.fill(buffer);
    long sent;
    do {
      sent = SENDMSG.attempt(socket.number(), outgoing.address(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent == -Errno.EINTR);
    outgoing.wipe(buffer.position());
    buffer.wipe();
    if (sent == -Errno.EAGAIN || sent == -Errno.ETOOMANYREFS) {
      return false;
    }
    if (sent < 0) {
      throw new SystemCallException("sendmsg", (int) -sent);
    }
    descriptorsInFlight |= hasDescriptors;
    return true;
  }

  /**
   * Whether descriptors may be in flight: some have been sent, and the other end was not seen
   * without unreceived messages since.
   */
  public synchronized boolean hasDescriptorsInFlight() throws SystemCallException {
    descriptorsInFlight = descriptorsInFlight && UnixSocket.hasUnreceived(socket);
    return descriptorsInFlight;
  }

  /**
   * Ends the connection without closing the socket, which still tells whether descriptors are in
   * flight. The other end receives what has been sent, and then end-of-file.
   */
  public void shutdown() throws SystemCallException {
    UnixSocket.shutdown(socket);
  }

  /**
   * Makes the other end's sends fail with EPIPE from now on. Its earlier messages can still be
   * received, and messages can be sent to it.
   */
  public void shutdownReceiving() throws SystemCallException {
    UnixSocket.shutdownReceiving(socket);
  }

  /** Lets the other end of an accepted socket send descriptors, see {@link ControlListener}. */
  public void permitDescriptors() {
    UnixSocket.permitDescriptors(socket, true);
  }

  /**
   * Receives a message from a program.
   *
   * @return null if there is none
   * @throws EOFException if the program has closed its end
   * @throws ControlProtocolException if the message is malformed; its descriptors have been closed
   */
  public ProgramMessage receiveFromProgram() throws IOException {
    ProgramMessage message = (ProgramMessage) receive(FROM_PROGRAMS);
    if (message != null) {
      // A program that sends requests has mostly received the replies before.
      hasDescriptorsInFlight();
    }
    return message;
  }

  /**
   * Receives a message from the daemon.
   *
   * @return null if there is none
   * @throws EOFException if the daemon has closed its end
   * @throws ControlProtocolException if the message is malformed; its descriptors have been closed
   */
  public DaemonMessage receiveFromDaemon() throws IOException {
    return (DaemonMessage) receive(FROM_DAEMON);
  }

  private ControlMessage receive(Map<Integer, MessageCodec> kinds) throws IOException {
    incoming.prepare();
    long octets;
    do {
      octets =
          RECVMSG.attempt(socket.number(), incoming.address(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      // A reset is reported once, before the messages that were sent until then.
    } while (octets == -Errno.EINTR || octets == -Errno.ECONNRESET);
    if (octets == -Errno.EAGAIN) {
      return null;
    }
    if (octets < 0) {
      throw new SystemCallException("recvmsg", (int) -octets);
    }
    MessageBuffer buffer = incoming.received((int) octets);
    try {
      if (octets == 0 && buffer.descriptors().isEmpty()) {
        throw new EOFException("the other end closed the control socket");
      }
      if ((incoming.flags() & MSG_TRUNC) != 0) {
        throw new ControlProtocolException("a message is too long");
      }
      if ((incoming.flags() & MSG_CTRUNC) != 0) {
        throw new ControlProtocolException("a message carries too many descriptors");
      }
      return MessageCodec.decode(buffer, kinds);
    } catch (IOException | RuntimeException e) {
      buffer.closeDescriptors();
      throw e;
    }
  }

  /** Closes this end. The other end reads end-of-file. */
  @Override
  public void close() {
    socket.close();
    if (peerProcess != null) {
      peerProcess.close();
    }
  }
}
