package org.rddp.ipc.control;

import java.util.List;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.client.types.SessionSizes;
import org.rddp.ipc.linux.Descriptor;

/** A request from a program to the daemon. */
public sealed interface ProgramMessage extends ControlMessage {
  /**
   * Opens a session. The layout of its first three fields never changes; the version says what
   * follows. Answered by {@link DaemonMessage.Welcome}; the session begins when the rings are
   * shared, see {@link ShareMemory}.
   *
   * @param request number of the request
   * @param version of the protocol, {@link ControlMessage#VERSION}
   * @param program name of the program, for the daemon's log
   * @param interfaceName name of the daemon's interface; empty: the first one
   * @param sizes that the program asks for
   */
  @MessageType(1)
  record Hello(int request, int version, String program, String interfaceName, SessionSizes sizes)
      implements ProgramMessage {}

  /**
   * Allocates memory in the daemon. Answered by {@link DaemonMessage.MemoryAllocated}.
   *
   * @param request number of the request
   * @param octets greater than 0
   */
  @MessageType(2)
  record AllocateMemory(int request, long octets) implements ProgramMessage {}

  /**
   * Shares the program's own sealed memfd. Answered by {@link DaemonMessage.MemoryAdopted}.
   *
   * @param request number of the request
   * @param descriptor the memfd
   */
  @MessageType(3)
  record AdoptMemory(int request, Descriptor descriptor) implements ProgramMessage {}

  /**
   * Frees memory to which no STag refers. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param memory number of the memory
   * @param offset where the piece begins, as allocated
   */
  @MessageType(4)
  record FreeMemory(int request, int memory, long offset) implements ProgramMessage {}

  /**
   * Registers a range of memory. Answered by {@link DaemonMessage.Registered}.
   *
   * @param request number of the request
   * @param memory number of the memory
   * @param offset offset of the range's first octet
   * @param octets greater than 0
   * @param settings who may use the STag for what, and its first Tagged Offset
   */
  @MessageType(5)
  record Register(int request, int memory, long offset, long octets, RegionSettings settings)
      implements ProgramMessage {}

  /**
   * Deregisters an STag. After the reply nothing is placed through it. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param stag the STag
   */
  @MessageType(6)
  record Deregister(int request, int stag) implements ProgramMessage {}

  /**
   * Listens at a port. Answered by {@link DaemonMessage.Listening}.
   *
   * @param request number of the request
   * @param address the interface's, or 0: its IPv4 address, {@code ::}: all of its addresses
   * @param port 1 to 65535, or 0: any
   * @param backlog connection requests that may wait for the program
   * @param settings of every connection
   */
  @MessageType(7)
  record Listen(int request, IpAddress address, int port, int backlog, ConnectionSettings settings)
      implements ProgramMessage {}

  /**
   * Stops listening; waiting connection requests are rejected. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param listener its number
   */
  @MessageType(8)
  record CloseListener(int request, int listener) implements ProgramMessage {}

  /**
   * Accepts a connection request. Receives posted earlier are available to the peer's first
   * message. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param settings what is chosen for this connection
   * @param privateData for the MPA reply
   */
  @MessageType(9)
  record Accept(int request, int connection, AcceptSettings settings, PrivateData privateData)
      implements ProgramMessage {}

  /**
   * Rejects a connection request. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param privateData for the MPA reply
   */
  @MessageType(10)
  record Reject(int request, int connection, PrivateData privateData) implements ProgramMessage {}

  /**
   * Connects to a peer. Answered by {@link DaemonMessage.Connecting}.
   *
   * @param request number of the request
   * @param localAddress the interface's, or 0 or {@code ::}: any
   * @param remoteAddress of the peer
   * @param remotePort 1 to 65535
   * @param timeoutMillis time until Established or Failed, greater than 0
   * @param settings of the connection
   * @param privateData for the MPA request
   */
  @MessageType(11)
  record Connect(
      int request,
      IpAddress localAddress,
      IpAddress remoteAddress,
      int remotePort,
      int timeoutMillis,
      ConnectionSettings settings,
      PrivateData privateData)
      implements ProgramMessage {}

  /**
   * Ends a connection. Its outstanding requests complete or are flushed, then Closed follows.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param graceful true: send what was posted, then close; false: reset at once
   */
  @MessageType(12)
  record Disconnect(int request, int connection, boolean graceful) implements ProgramMessage {}

  /**
   * Opens the daemon's counters. Answered by {@link DaemonMessage.CountersOpened}.
   *
   * @param request number of the request
   */
  @MessageType(13)
  record OpenCounters(int request) implements ProgramMessage {}

  /**
   * Starts copying every frame of the interface. Answered by {@link DaemonMessage.CaptureStarted}.
   *
   * @param request number of the request
   * @param ringOctets size of the ring, a power of two
   * @param snapLength octets kept of each frame
   * @param plain whether packets in ESP are shown in clear
   */
  @MessageType(14)
  record StartCapture(int request, int ringOctets, int snapLength, boolean plain)
      implements ProgramMessage {}

  /**
   * Stops the capture of this session. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   */
  @MessageType(15)
  record StopCapture(int request) implements ProgramMessage {}

  /**
   * Ends the session. After the reply all its resources are freed. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   */
  @MessageType(16)
  record CloseSession(int request) implements ProgramMessage {}

  /**
   * Allocates a memory window, which work requests bind. Answered by {@link
   * DaemonMessage.WindowAllocated}.
   *
   * @param request number of the request
   * @param kind the code of a {@link org.rddp.client.types.WindowKind}
   * @param domain number of the protection domain
   */
  @MessageType(17)
  record AllocateWindow(int request, int kind, int domain) implements ProgramMessage {}

  /**
   * Frees a window. After the reply nothing is placed or read through it. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param window its number
   */
  @MessageType(18)
  record FreeWindow(int request, int window) implements ProgramMessage {}

  /**
   * Creates a shared receive queue. Answered by {@link DaemonMessage.ReceiveQueueCreated}.
   *
   * @param request number of the request
   * @param size number of receives that it holds
   * @param domain number of the protection domain of the regions that receives may name
   */
  @MessageType(19)
  record CreateReceiveQueue(int request, int size, int domain) implements ProgramMessage {}

  /**
   * Requests one {@link DaemonMessage.ReceiveQueueLimit} when fewer than {@code limit} receives are
   * left. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param queue its number
   * @param limit number of receives; 0: no event
   */
  @MessageType(20)
  record ArmReceiveQueue(int request, int queue, int limit) implements ProgramMessage {}

  /**
   * Destroys a shared receive queue that no connection or listener uses; its receives are flushed.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param queue its number
   */
  @MessageType(21)
  record DestroyReceiveQueue(int request, int queue) implements ProgramMessage {}

  /**
   * Shares memory with the engine. Before it the program maps the memory and adds
   * F_SEAL_FUTURE_WRITE, so that no process can punch a hole into it. Answered by {@link
   * DaemonMessage.Done} when all pages of the memory are allocated: now it can be registered, the
   * session begins, or the capture runs.
   *
   * @param request number of the request
   * @param memory number of the memory, or of the waiter in a session for octet streams, {@link
   *     #RINGS} or {@link #CAPTURE}
   */
  @MessageType(22)
  record ShareMemory(int request, int memory) implements ProgramMessage {
    /** The memory of the rings, from {@link DaemonMessage.Welcome}. */
    public static final int RINGS = 0;

    /** The memory of the capture ring, from {@link DaemonMessage.CaptureStarted}. */
    public static final int CAPTURE = -1;
  }

  /**
   * Registers several ranges of memory, side by side, as one region. Each range but the first
   * begins with a page, and each but the last ends with one. Answered by {@link
   * DaemonMessage.Registered}.
   *
   * @param request number of the request
   * @param settings who may use the STag for what, and its first Tagged Offset
   * @param pieces 1 to {@link MemoryPiece#MOST}
   */
  @MessageType(23)
  record RegisterPieces(int request, RegionSettings settings, List<MemoryPiece> pieces)
      implements ProgramMessage {
    /** Copies the list. */
    public RegisterPieces {
      pieces = List.copyOf(pieces);
    }
  }

  /**
   * Asks for a number for queue pairs of this session. Answered by {@link
   * DaemonMessage.NumberCreated}.
   *
   * @param request number of the request
   */
  @MessageType(25)
  record CreateNumber(int request) implements ProgramMessage {}

  /**
   * Gives a queue pair's number back. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param number the number
   */
  @MessageType(26)
  record FreeNumber(int request, int number) implements ProgramMessage {}

  /**
   * Expects the peer of a queue pair. Answered by {@link DaemonMessage.Connecting}.
   *
   * @param request number of the request
   * @param number own number
   * @param localAddress the interface's, which the peer has been told
   * @param remoteNumber the peer's number
   * @param remoteAddress of the peer
   * @param psn first packet sequence number of the own sends, or -1: said later
   * @param remotePsn that of the peer's sends
   * @param timeoutMillis time for which requests of the send queue may wait for the peer; 0: for
   *     ever
   * @param settings of the connection
   */
  @MessageType(28)
  record Expect(
      int request,
      int number,
      IpAddress localAddress,
      int remoteNumber,
      IpAddress remoteAddress,
      int psn,
      int remotePsn,
      int timeoutMillis,
      ConnectionSettings settings)
      implements ProgramMessage {}

  /**
   * Says what {@link Expect} has left open. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param psn first packet sequence number of the own sends
   * @param timeoutMillis as in {@link Expect}
   */
  @MessageType(29)
  record ExpectPsn(int request, int connection, int psn, int timeoutMillis)
      implements ProgramMessage {}

  /**
   * Asks for the next objects of the daemon that this program's user may see. Answered by {@link
   * DaemonMessage.ObjectsListed}.
   *
   * @param request number of the request
   * @param subject see {@link org.rddp.client.types.ListSubject#code()}
   * @param session where to go on: 0 at first, later as in the last reply
   * @param index likewise
   */
  @MessageType(27)
  record ListObjects(int request, int subject, int session, int index) implements ProgramMessage {}

  /**
   * Asks which interfaces the daemon has. May be sent before Hello. Answered by {@link
   * DaemonMessage.InterfacesListed}.
   *
   * @param request number of the request
   * @param version of the protocol, {@link ControlMessage#VERSION}
   * @param index of the first interface to list: 0 at first, later as in the last reply
   */
  @MessageType(24)
  record ListInterfaces(int request, int version, int index) implements ProgramMessage {}

  /**
   * Asks for the addresses of a connection of any session of the interface; only root and the
   * daemon's own user may. Answered by {@link DaemonMessage.ConnectionFound}.
   *
   * @param request number of the request
   * @param connection its number
   * @param process id of the process whose connection it is; 0: any
   */
  @MessageType(30)
  record FindConnection(int request, int connection, int process) implements ProgramMessage {}

  /**
   * Adds a security association to the interface; only root and the daemon's own user may. Answered
   * by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param association everything but the keys
   * @param replaced SPI of an association of the same direction that is deleted at the same moment;
   *     0: none
   * @param keys of encryption, salt and integrity, in this order
   */
  @MessageType(61)
  record AddAssociation(
      int request, SecurityAssociation association, int replaced, SecretOctets keys)
      implements ProgramMessage {
    /** Overwrites the keys of a message that is not used. */
    @Override
    public void closeDescriptors() {
      keys.wipe();
    }
  }

  /**
   * Deletes a security association of the interface; only root and the daemon's own user may.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param spi its Security Parameters Index
   * @param destination address of the host that receives on it
   */
  @MessageType(62)
  record DeleteAssociation(int request, int spi, String destination) implements ProgramMessage {}

  /**
   * Begins to pass on what the interface has for a daemon of IKE: {@link
   * DaemonMessage.KeyDatagramReceived} and {@link DaemonMessage.AssociationNeeded} follow, until
   * the session ends; only root and the daemon's own user may, one session at a time. Answered by
   * {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   */
  @MessageType(63)
  record BeginKeyExchange(int request) implements ProgramMessage {}

  /**
   * Sends a datagram of IKE, after {@link BeginKeyExchange}. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param local the interface's address that it is from
   * @param remote where it goes
   * @param datagram from the UDP header on
   */
  @MessageType(59)
  record SendKeyDatagram(int request, IpAddress local, IpAddress remote, KeyDatagram datagram)
      implements ProgramMessage {}

  /**
   * Starts writing the events of one connection of the interface into a ring, as {@link
   * StartCapture} does with frames; {@link StopCapture} stops it, too. Answered by {@link
   * DaemonMessage.CaptureStarted}.
   *
   * @param request number of the request
   * @param ringOctets size of the ring, a power of two
   * @param connection its number
   * @param process id of the process whose connection it is; 0: any
   */
  @MessageType(31)
  record StartTrace(int request, int ringOctets, int connection, int process)
      implements ProgramMessage {}

  /**
   * Opens a session for octet streams instead of {@link Hello}. Answered by {@link
   * DaemonMessage.SocketsWelcome}; the session begins when the doorbells are shared, see {@link
   * ShareMemory}.
   *
   * @param request number of the request
   * @param version of the protocol, {@link ControlMessage#VERSION}
   * @param program name of the program, for the daemon's log
   */
  @MessageType(49)
  record SocketsHello(int request, int version, String program) implements ProgramMessage {}

  /**
   * Opens an octet stream. Answered by {@link DaemonMessage.StreamConnecting}; the outcome is in
   * the stream's header.
   *
   * @param request number of the request
   * @param remoteAddress of the peer
   * @param remotePort 1 to 65535
   * @param localAddress an interface's, or of family 0, or 0, or {@code ::}: any
   * @param localPort that the peer is told; 0: any
   * @param timeoutMillis time until it has failed; 0: as the daemon chooses
   * @param flags 0
   */
  @MessageType(51)
  record StreamConnect(
      int request,
      IpAddress remoteAddress,
      int remotePort,
      IpAddress localAddress,
      int localPort,
      int timeoutMillis,
      int flags)
      implements ProgramMessage {}

  /**
   * Listens for octet streams. Answered by {@link DaemonMessage.StreamListening}.
   *
   * @param request number of the request
   * @param address an interface's, or 0: all of IPv4, {@code ::}: all
   * @param port 1 to 65535, or 0: any
   * @param backlog streams that may wait to be accepted, 1 to 65535
   * @param flags {@link #REUSE_PORT}, {@link #ONLY_IPV6}
   * @param socket the number that the kernel has given the program's listening socket (SO_COOKIE):
   *     listeners of the same user for the same socket share address and port; 0: it has none
   */
  @MessageType(53)
  record StreamListen(int request, IpAddress address, int port, int backlog, int flags, long socket)
      implements ProgramMessage {
    /** Other listeners of the same user that ask for this, too, may share address and port. */
    public static final int REUSE_PORT = 1;

    /** {@code ::} does not stand for the addresses of IPv4. */
    public static final int ONLY_IPV6 = 2;
  }

  /**
   * Ends a listener of octet streams. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param listener its number
   */
  @MessageType(55)
  record StreamListenEnd(int request, int listener) implements ProgramMessage {}

  /**
   * Changes the backlog of a listener of octet streams. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param listener its number
   * @param backlog 1 to 65535
   */
  @MessageType(58)
  record StreamBacklog(int request, int listener, int backlog) implements ProgramMessage {}

  /**
   * Makes the octets of a stream pass through a socket instead of the shared memory. May be the
   * first message. Answered by {@link DaemonMessage.StreamBridged}.
   *
   * @param request number of the request
   * @param stream the program's socket of the stream
   */
  @MessageType(56)
  record StreamBridge(int request, Descriptor stream) implements ProgramMessage {}

  /**
   * Opens a waiter, which is told of many octet streams. Answered by {@link
   * DaemonMessage.StreamWaiting}; it is told from when its memory is shared, see {@link
   * ShareMemory}, until the program closes its socket.
   *
   * @param request number of the request
   */
  @MessageType(45)
  record StreamWaiter(int request) implements ProgramMessage {}
}
