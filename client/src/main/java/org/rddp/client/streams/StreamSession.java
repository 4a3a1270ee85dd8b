package org.rddp.client.streams;

import java.io.EOFException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.rddp.client.RefusedException;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.ipc.ring.EngineProcessors;
import org.rddp.ipc.ring.StreamMemory;

/** A program's session for octet streams. Thread-safe. */
public final class StreamSession implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ControlSocket socket;
  private final SharedMemory memory;
  private final WakeSocket wake;
  private final Doorbells[] sections;
  private final EngineProcessors processors;
  private final long encrypted;
  private boolean ended;
  private int lastRequest;

  private StreamSession(ControlSocket socket, String program) throws IOException {
    this.socket = socket;
    DaemonMessage.SocketsWelcome welcome =
        request(
            number -> new ProgramMessage.SocketsHello(number, ControlMessage.VERSION, program),
            DaemonMessage.SocketsWelcome.class);
    encrypted = welcome.encrypted();
    wake = new WakeSocket(welcome.wake());
    memory = SharedMemory.map(welcome.doorbells());
    sections = new Doorbells[welcome.sections()];
    for (int i = 0; i < sections.length; i++) {
      sections[i] = new Doorbells(memory.address() + (long) i * Doorbells.OCTETS);
    }
    processors = new EngineProcessors(this::hasEngine);
    memory.forbidHoles();
    request(
        number -> new ProgramMessage.ShareMemory(number, ProgramMessage.ShareMemory.RINGS),
        DaemonMessage.Done.class);
  }

  /**
   * Opens a session.
   *
   * @param path of the daemon's control socket
   * @param program name for the daemon's log
   * @throws RefusedException if the daemon refuses it
   */
  public static StreamSession open(Path path, String program) throws IOException {
    ControlSocket socket = ControlSocket.connect(path);
    try {
      return new StreamSession(socket, program);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** The networks of the daemon's interfaces, without link-local ones. */
  public List<StreamNetwork> networks() throws IOException {
    List<StreamNetwork> networks = new ArrayList<>();
    int index = 0;
    int next;
    do {
      int from = index;
      DaemonMessage.InterfacesListed page =
          request(
              number -> new ProgramMessage.ListInterfaces(number, ControlMessage.VERSION, from),
              DaemonMessage.InterfacesListed.class);
      for (InterfaceEntry entry : page.interfaces()) {
        StreamNetwork.addAll(networks, entry, index < Long.SIZE && (encrypted >> index & 1) != 0);
        index++;
      }
      next = page.next();
    } while (next != 0);
    return List.copyOf(networks);
  }

  /** Sends a request and waits for its reply. */
  synchronized <T extends DaemonMessage> T request(
      IntFunction<ProgramMessage> message, Class<T> answer) throws IOException {
    if (ended) {
      throw new EOFException("the session has ended");
    }
    long end = System.nanoTime() + PATIENCE.toNanos();
    PollSet poll = new PollSet();
    int number = ++lastRequest;
    ProgramMessage sent = message.apply(number);
    while (!socket.send(sent)) {
      poll.clear();
      poll.addForSending(socket.descriptor());
      await(poll, end);
    }
    while (true) {
      DaemonMessage reply = socket.receiveFromDaemon();
      if (reply == null) {
        poll.clear();
        poll.add(socket.descriptor());
        await(poll, end);
      } else if (reply.request() != number) {
        reply.closeDescriptors();
      } else if (reply instanceof DaemonMessage.Refused refused) {
        throw new RefusedException(refused.reason(), refused.detail(), refused.text());
      } else {
        return answer.cast(reply);
      }
    }
  }

  private static void await(PollSet poll, long end) throws IOException {
    long left = end - System.nanoTime();
    if (left <= 0) {
      throw new EOFException("the daemon does not answer");
    }
    poll.await(left);
  }

  /** Begins to open a stream. */
  public ProgramStream connect(InetSocketAddress to) throws IOException {
    return connect(to, null, 0, Duration.ZERO);
  }

  /**
   * Begins to open a stream.
   *
   * @param from local address; null for any
   * @param fromPort local port that the peer is told; 0 for any
   * @param timeout until it has failed; 0: as the daemon chooses
   */
  public ProgramStream connect(
      InetSocketAddress to, InetAddress from, int fromPort, Duration timeout) throws IOException {
    DaemonMessage.StreamConnecting reply =
        request(
            number ->
                new ProgramMessage.StreamConnect(
                    number,
                    address(to.getAddress()),
                    to.getPort(),
                    from == null ? IpAddress.NONE : address(from),
                    fromPort,
                    (int) timeout.toMillis(),
                    0),
            DaemonMessage.StreamConnecting.class);
    StreamMemory mapped =
        map(reply.memory(), reply.sendOctets(), reply.receiveOctets(), reply.stream());
    return new ProgramStream(this, reply.section(), reply.index(), mapped, reply.stream(), false);
  }

  static StreamMemory map(Descriptor memory, int send, int receive, Descriptor stream)
      throws IOException {
    try {
      return StreamMemory.map(memory, send, receive);
    } catch (IOException | RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  /**
   * Listens.
   *
   * @param at the wildcard address stands for all addresses of its family, {@code ::} for all
   * @param flags of {@link ProgramMessage.StreamListen}
   */
  public ProgramListener listen(InetSocketAddress at, int backlog, int flags) throws IOException {
    DaemonMessage.StreamListening reply =
        request(
            number ->
                new ProgramMessage.StreamListen(
                    number, address(at.getAddress()), at.getPort(), backlog, flags, 0),
            DaemonMessage.StreamListening.class);
    return new ProgramListener(this, reply);
  }

  /** Opens a waiter, which the session's streams can name. */
  public StreamWaiter openWaiter() throws IOException {
    return new StreamWaiter(
        this, request(ProgramMessage.StreamWaiter::new, DaemonMessage.StreamWaiting.class));
  }

  /** The socket through which the octets of a stream pass from now on. */
  public Descriptor bridge(Descriptor stream) throws IOException {
    return request(
        number -> new ProgramMessage.StreamBridge(number, stream),
        DaemonMessage.StreamBridged.class)
        .stream();
  }

  /** An address as the daemon is told. */
  static IpAddress address(InetAddress address) {
    ByteBuffer octets = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet4Address
        ? IpAddress.ipv4(octets.getInt())
        : IpAddress.ipv6(octets.getLong(), octets.getLong());
  }

  /**
   * Moves the calling thread, which polls for the daemon, away from a processor with an engine, on
   * machines with two; at most ten times a second. Returns whether it has.
   */
  public boolean leaveEngines() {
    return processors.leave();
  }

  private boolean hasEngine(int processor) {
    for (Doorbells each : sections) {
      if (each.processor() == processor) {
        return true;
      }
    }
    return false;
  }

  /** Tells the engine of a section that one of its streams has something new. */
  void ring(int section, int index) {
    if (sections[section].ring(index)) {
      wake.signal();
    }
  }

  /** Ends the session and its listeners; its streams go on. */
  public synchronized void closeControl() {
    ended = true;
    socket.close();
  }

  /** Ends the session and its listeners. Its streams stay; they must not be used any more. */
  @Override
  public void close() {
    closeControl();
    wake.close();
    memory.close();
  }
}
