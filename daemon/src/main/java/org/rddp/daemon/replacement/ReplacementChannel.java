package org.rddp.daemon.replacement;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnixSocket;

/**
 * One end of the connection between two daemons: messages with descriptors (SCM_RIGHTS). Every wait
 * has an end. One thread uses it.
 */
final class ReplacementChannel implements AutoCloseable {
  /** Descriptors of a message; the kernel takes 253. */
  static final int DESCRIPTORS = 250;

  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final int MSG_CTRUNC = 8;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;

  /** Length of struct msghdr. The iovec and the ancillary data follow it here. */
  private static final int IOVEC = 56;

  private static final int CONTROL = IOVEC + 16;
  private static final int RIGHTS = 16;
  private static final int CONTROL_ROOM = RIGHTS + 4 * DESCRIPTORS;
  private static final int TEXT = CONTROL + CONTROL_ROOM;

  private static final SystemCall SENDMSG = SystemCall.bind("sendmsg", "l:ili");
  private static final SystemCall RECVMSG = SystemCall.bind("recvmsg", "l:ili");

  private final Descriptor socket;
  private final PollSet readable = new PollSet();
  private final PollSet writable = new PollSet();
  private final int endKey;

  /**
   * Takes a connected socket.
   *
   * @param end ready when this process ends, and waits with it; null: never
   */
  ReplacementChannel(Descriptor socket, Descriptor end) {
    this.socket = socket;
    readable.add(socket);
    endKey = end == null ? PollSet.NONE : readable.add(end);
    writable.addForSending(socket);
  }

  /**
   * Connects to the daemon that runs.
   *
   * @param path of its socket, {@link ReplacementSocket#pathFor}
   */
  static ReplacementChannel connect(Path path) throws ReplacementException {
    Descriptor socket = null;
    try {
      socket = UnixSocket.open();
      UnixSocket.connect(socket, path);
      return new ReplacementChannel(socket, null);
    } catch (SystemCallException e) {
      if (socket != null) {
        socket.close();
      }
      throw new ReplacementException(
          switch (e.errno()) {
            case Errno.ENOENT, Errno.ECONNREFUSED ->
                "no daemon that can be replaced runs at this control socket: nobody listens at %s. If none runs, leave out --replace; restart one of a former release"
                    .formatted(path);
            case Errno.EACCES ->
                "only the user of the daemon that runs can replace it: this process may not connect to "
                    + path;
            default -> path + ": " + e.getMessage();
          },
          e);
    }
  }

  /** The process at the other end. */
  PeerCredentials peer() throws SystemCallException {
    return UnixSocket.peerCredentials(socket);
  }

  /** Tells the other end, for a line of its log, why nothing comes of it, if it is there. */
  void refuse(String why) {
    try {
      send(Message.of(Message.Kind.REFUSED, why.replace("\n", "; ")), 0);
    } catch (IOException gone) {
      // It sees the end of the connection.
    }
  }

  /**
   * Sends a message with duplicates of its descriptors.
   *
   * @param nanos the longest wait
   */
  void send(Message message, long nanos) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      byte[] octets = message.encode();
      MemorySegment memory = prepare(arena, octets.length);
      MemorySegment.copy(octets, 0, memory, ValueLayout.JAVA_BYTE, TEXT, octets.length);
      List<Descriptor> sent = message.descriptors();
      memory.set(ValueLayout.JAVA_LONG, CONTROL, RIGHTS + 4L * sent.size());
      memory.set(ValueLayout.JAVA_INT, CONTROL + 8, SOL_SOCKET);
      memory.set(ValueLayout.JAVA_INT, CONTROL + 12, SCM_RIGHTS);
      for (int i = 0; i < sent.size(); i++) {
        memory.set(ValueLayout.JAVA_INT, CONTROL + RIGHTS + 4L * i, sent.get(i).number());
      }
      long control = sent.isEmpty() ? 0 : (RIGHTS + 4L * sent.size() + 7) & ~7;
      memory.set(ValueLayout.JAVA_LONG, 32, control == 0 ? 0 : memory.address() + CONTROL);
      memory.set(ValueLayout.JAVA_LONG, 40, control);
      call(SENDMSG, memory, MSG_NOSIGNAL, writable, nanos);
    } catch (EOFException e) {
      throw lastWord(e);
    }
  }

  /** Why the other end has gone, if it has said so. */
  private IOException lastWord(EOFException end) {
    try {
      Message last = receive(0);
      last.descriptors().forEach(Descriptor::close);
      return new ReplacementException(last.text().isEmpty() ? end.getMessage() : last.text(), end);
    } catch (IOException nothing) {
      return end;
    }
  }

  /**
   * Waits for a message of a kind.
   *
   * @param nanos the longest wait
   * @throws ReplacementException if the other end refuses, is late, or says something else
   * @throws EOFException if the other end has closed the connection, as when its process ends
   */
  Message receive(Message.Kind wanted, long nanos) throws IOException {
    Message message = receive(nanos);
    if (message.kind() != wanted) {
      message.descriptors().forEach(Descriptor::close);
      throw new ReplacementException(
          message.kind() == Message.Kind.REFUSED
              ? message.text()
              : "the other daemon says " + message.kind() + " where " + wanted + " was due");
    }
    return message;
  }

  /**
   * Waits for a message as {@link #receive(Message.Kind, long)} does. If this fails, the other end
   * has not sent it and cannot do so any more: its attempt fails.
   */
  void receiveOrRefuse(Message.Kind wanted, long nanos) throws IOException {
    try {
      receive(wanted, nanos);
    } catch (IOException failed) {
      stopReceiving();
      try {
        receive(wanted, 0);
      } catch (IOException none) {
        throw failed;
      }
    }
  }

  /**
   * Makes the kernel refuse what the other end sends from now on; what came before can still be
   * received. Any thread.
   */
  synchronized void stopReceiving() {
    try {
      if (socket.isOpen()) {
        UnixSocket.shutdownReceiving(socket);
      }
    } catch (SystemCallException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until the other end has closed the connection, or for the time. */
  void awaitEnd(long nanos) {
    try {
      receive(nanos).descriptors().forEach(Descriptor::close);
    } catch (IOException ended) {
      // As it is to be, or it hangs, which is the same for who waits.
    }
  }

  private Message receive(long nanos) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = prepare(arena, Message.OCTETS);
      int length = (int) call(RECVMSG, memory, MSG_CMSG_CLOEXEC, readable, nanos);
      List<Descriptor> received = descriptors(memory);
      try {
        if (length == 0) {
          throw new EOFException("the other daemon has ended");
        }
        if ((memory.get(ValueLayout.JAVA_INT, 48) & MSG_CTRUNC) != 0) {
          throw new ReplacementException(
              "this process may not have so many descriptors (RLIMIT_NOFILE)");
        }
        byte[] octets = new byte[length];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, TEXT, octets, 0, length);
        Message message = Message.decode(octets, received);
        if (!received.isEmpty() && !message.kind().hasDescriptors()) {
          throw new ReplacementException(
              "the other daemon has sent descriptors with " + message.kind());
        }
        return message;
      } catch (IOException e) {
        received.forEach(Descriptor::close);
        throw e;
      }
    }
  }

  private static MemorySegment prepare(Arena arena, int octets) {
    MemorySegment memory = arena.allocate(TEXT + Message.OCTETS, 8);
    memory.set(ValueLayout.JAVA_LONG, 16, memory.address() + IOVEC);
    memory.set(ValueLayout.JAVA_LONG, 24, 1);
    memory.set(ValueLayout.JAVA_LONG, 32, memory.address() + CONTROL);
    memory.set(ValueLayout.JAVA_LONG, 40, CONTROL_ROOM);
    memory.set(ValueLayout.JAVA_LONG, IOVEC, memory.address() + TEXT);
    memory.set(ValueLayout.JAVA_LONG, IOVEC + 8, octets);
    return memory;
  }

  private static List<Descriptor> descriptors(MemorySegment memory) {
    List<Descriptor> received = new ArrayList<>();
    long room = memory.get(ValueLayout.JAVA_LONG, 40);
    long length = room < RIGHTS ? 0 : memory.get(ValueLayout.JAVA_LONG, CONTROL);
    for (long at = RIGHTS; at + 4 <= length; at += 4) {
      received.add(Descriptor.of(memory.get(ValueLayout.JAVA_INT, CONTROL + at)));
    }
    return received;
  }

  private long call(SystemCall how, MemorySegment memory, int flags, PollSet ready, long nanos)
      throws IOException {
    long end = System.nanoTime() + nanos;
    while (true) {
      long result = how.attempt(socket.number(), memory.address(), flags);
      if (result >= 0) {
        return result;
      }
      if (result == -Errno.EPIPE) {
        throw new EOFException("the other daemon has ended");
      }
      // A reset is reported once, before the messages that were sent until then.
      if (result == -Errno.ECONNRESET || result == -Errno.EINTR) {
        continue;
      }
      if (result != -Errno.EAGAIN) {
        throw new SystemCallException("the connection to the other daemon", (int) -result);
      }
      long left = end - System.nanoTime();
      if (readable.isReady(endKey)) {
        throw new ReplacementException("the daemon that runs is being stopped");
      }
      if (left <= 0 || ready.await(left) == 0) {
        throw new ReplacementException(
            "the other daemon has not answered within "
                + TimeUnit.NANOSECONDS.toMillis(nanos)
                + " ms: it is stopped, or gets no processor; look at it, and try again");
      }
    }
  }

  @Override
  public synchronized void close() {
    socket.close();
  }
}
