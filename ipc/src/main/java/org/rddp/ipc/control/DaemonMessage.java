package org.rddp.ipc.control;

import java.util.List;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.linux.Descriptor;

/** A message from the daemon: the reply to a request (types below 64) or an event. */
public sealed interface DaemonMessage extends ControlMessage {
  /** Closes the descriptors that nobody else needs once the message has been sent, or dropped. */
  default void closeOwned() {}

  /**
   * The session is open.
   *
   * @param request number of the request that is answered
   * @param version of the protocol
   * @param limits limits of the session
   * @param interfaceName the interface
   * @param address its IPv4 address, or the configured one of IPv6 if it has no other
   * @param rings memory that holds the rings
   * @param event the program's {@link org.rddp.ipc.linux.WakeSocket}
   */
  @MessageType(32)
  record Welcome(
      int request,
      int version,
      SessionLimits limits,
      String interfaceName,
      IpAddress address,
      Descriptor rings,
      Descriptor event)
      implements DaemonMessage {}

  /**
   * The request was carried out.
   *
   * @param request number of the request that is answered
   */
  @MessageType(33)
  record Done(int request) implements DaemonMessage {}

  /**
   * The request was refused and changed nothing.
   *
   * @param request number of the request that is answered
   * @param reason why
   * @param detail number that depends on the reason, or 0
   * @param text human-readable description
   */
  @MessageType(34)
  record Refused(int request, Reason reason, int detail, String text) implements DaemonMessage {}

  /**
   * Zeroed memory was allocated. Small pieces are cut from a larger memory, whose descriptor is
   * sent with its first piece only.
   *
   * @param request number of the request that is answered
   * @param memory number of the memory
   * @param offset offset of the piece in the memory
   * @param octets size of the piece
   * @param descriptor the memory's memfd if the session does not have it yet, otherwise null
   */
  @MessageType(35)
  record MemoryAllocated(
      int request, int memory, long offset, long octets, @OptionalField Descriptor descriptor)
      implements DaemonMessage {}

  /**
   * The program's memory was mapped and can be registered.
   *
   * @param request number of the request that is answered
   * @param memory its number
   */
  @MessageType(36)
  record MemoryAdopted(int request, int memory) implements DaemonMessage {}

  /**
   * The range is registered.
   *
   * @param request number of the request that is answered
   * @param stag the STag, local and remote
   * @param baseTo Tagged Offset of its first octet
   */
  @MessageType(37)
  record Registered(int request, int stag, long baseTo) implements DaemonMessage {}

  /**
   * The listener accepts connections.
   *
   * @param request number of the request that is answered
   * @param listener its number
   * @param address as asked for; if that was {@code ::}, its IPv4 address, or the configured one of
   *     IPv6 if it has no other
   * @param port 1 to 65535
   */
  @MessageType(38)
  record Listening(int request, int listener, IpAddress address, int port)
      implements DaemonMessage {}

  /**
   * The connection is being established: Established, Rejected or Failed follows.
   *
   * @param request number of the request that is answered
   * @param connection its number
   */
  @MessageType(39)
  record Connecting(int request, int connection) implements DaemonMessage {}

  /**
   * The counters, see {@link org.rddp.ipc.ring.Counters}.
   *
   * @param request number of the request that is answered
   * @param descriptor their memory, for reading
   */
  @MessageType(40)
  record CountersOpened(int request, Descriptor descriptor) implements DaemonMessage {}

  /**
   * The capture is running, see {@link org.rddp.ipc.ring.CaptureRing}.
   *
   * @param request number of the request that is answered
   * @param descriptor its memory
   */
  @MessageType(41)
  record CaptureStarted(int request, Descriptor descriptor) implements DaemonMessage {}

  /**
   * The window was allocated and is not bound.
   *
   * @param request number of the request that is answered
   * @param window its number
   * @param stag STag after the next bind
   */
  @MessageType(42)
  record WindowAllocated(int request, int window, int stag) implements DaemonMessage {}

  /**
   * Some objects.
   *
   * @param request number of the request that is answered
   * @param session where to go on; 0: there are no more
   * @param index likewise
   * @param lines one JSON object for each, each followed by a line feed; may be empty
   */
  @MessageType(47)
  record ObjectsListed(int request, int session, int index, @LongText String lines)
      implements DaemonMessage {}

  /**
   * Some interfaces.
   *
   * @param request number of the request that is answered
   * @param next index of the next interface; 0: there are no more
   * @param interfaces at most {@link InterfaceEntry#MOST}
   */
  @MessageType(44)
  record InterfacesListed(int request, int next, List<InterfaceEntry> interfaces)
      implements DaemonMessage {
    /** Copies the list. */
    public InterfacesListed {
      interfaces = List.copyOf(interfaces);
    }
  }

  /**
   * A peer requests a connection, which the program accepts or rejects.
   *
   * @param listener number of the listener
   * @param connection number of the new connection
   * @param localAddress address at this end
   * @param localPort local port
   * @param remoteAddress address of the peer
   * @param remotePort remote port
   * @param startup terms if it is accepted
   * @param privateData of the MPA request
   */
  @MessageType(64)
  record ConnectionRequested(
      int listener,
      int connection,
      IpAddress localAddress,
      int localPort,
      IpAddress remoteAddress,
      int remotePort,
      StartupTerms startup,
      PrivateData privateData)
      implements DaemonMessage {}

  /**
   * The connection is in Full Operation.
   *
   * @param connection its number
   * @param localAddress address at this end
   * @param localPort local port
   * @param remoteAddress address of the peer
   * @param remotePort remote port
   * @param startup results of the startup frames
   * @param privateData of the MPA reply; none at the Responder
   */
  @MessageType(65)
  record Established(
      int connection,
      IpAddress localAddress,
      int localPort,
      IpAddress remoteAddress,
      int remotePort,
      StartupTerms startup,
      PrivateData privateData)
      implements DaemonMessage {}

  /**
   * The peer rejected the connection. The number can be reused.
   *
   * @param connection its number
   * @param startup the peer's IRD and ORD
   * @param privateData of the MPA reply
   */
  @MessageType(66)
  record Rejected(int connection, StartupTerms startup, PrivateData privateData)
      implements DaemonMessage {}

  /**
   * The connection could not be established. The number can be reused.
   *
   * @param connection its number
   * @param reason why
   * @param detail number that depends on the reason, or 0
   * @param text human-readable description
   */
  @MessageType(67)
  record Failed(int connection, Reason reason, int detail, String text) implements DaemonMessage {}

  /**
   * The peer has closed its sending direction. Posted messages are still sent.
   *
   * @param connection its number
   */
  @MessageType(68)
  record PeerClosed(int connection) implements DaemonMessage {}

  /**
   * The connection has ended and its requests have completed. The number can be reused.
   *
   * @param connection its number
   * @param reason why
   * @param detail number that depends on the reason, or 0
   * @param text human-readable description
   */
  @MessageType(69)
  record Closed(int connection, Reason reason, int detail, String text) implements DaemonMessage {}

  /**
   * Plain DDP: the stream has failed and its requests have completed. Nothing more is received; one
   * more message may be sent. The program ends the connection.
   *
   * @param connection its number
   * @param reason the layer that failed
   * @param detail error number of that layer
   * @param header header of the refused segment in hexadecimal; empty if the error concerns no
   *     segment
   * @param segmentOctets length of that segment, header included
   * @param text human-readable description
   */
  @MessageType(70)
  record StreamFailed(
      int connection, Reason reason, int detail, String header, int segmentOctets, String text)
      implements DaemonMessage {}

  /**
   * The shared receive queue was created, without receives.
   *
   * @param request number of the request that is answered
   * @param queue its number
   */
  @MessageType(43)
  record ReceiveQueueCreated(int request, int queue) implements DaemonMessage {}

  /**
   * A number for queue pairs was drawn.
   *
   * @param request number of the request that is answered
   * @param number 2 to 2^24 - 1
   */
  @MessageType(48)
  record NumberCreated(int request, int number) implements DaemonMessage {}

  /**
   * The connection was found.
   *
   * @param request number of the request answered
   * @param localAddress address at the daemon's end
   * @param localPort port at the daemon's end
   * @param remoteAddress address of the peer
   * @param remotePort port of the peer
   */
  @MessageType(60)
  record ConnectionFound(
      int request, IpAddress localAddress, int localPort, IpAddress remoteAddress, int remotePort)
      implements DaemonMessage {}

  /**
   * A datagram has arrived that may hold a message of IKE.
   *
   * @param local the interface's address
   * @param remote the sender's
   * @param datagram from the UDP header on; its checksum has not been verified
   */
  @MessageType(72)
  record KeyDatagramReceived(IpAddress local, IpAddress remote, KeyDatagram datagram)
      implements DaemonMessage {}

  /**
   * A packet was not sent because no security association is for it.
   *
   * @param local the interface's address
   * @param localPort of TCP, or 0
   * @param remote where it was to go
   * @param remotePort of TCP, or 0
   */
  @MessageType(73)
  record AssociationNeeded(IpAddress local, int localPort, IpAddress remote, int remotePort)
      implements DaemonMessage {}

  /**
   * Fewer receives are left in a shared queue than the limit that the program set.
   *
   * @param queue its number
   */
  @MessageType(71)
  record ReceiveQueueLimit(int queue) implements DaemonMessage {}

  /**
   * The session for octet streams is open.
   *
   * @param request number of the request that is answered
   * @param version of the protocol
   * @param sections of the doorbells
   * @param connections most streams of the session
   * @param listeners most listeners of the session
   * @param sendOctets of the ring for octets to send of each stream
   * @param receiveOctets of the ring for received octets of each stream
   * @param encrypted bit i: interface i, in the order of {@link InterfacesListed}, sends in ESP
   *     only
   * @param doorbells their memory, see {@link org.rddp.ipc.ring.Doorbells}
   * @param wake the program's {@link org.rddp.ipc.linux.WakeSocket}
   */
  @MessageType(50)
  record SocketsWelcome(
      int request,
      int version,
      int sections,
      int connections,
      int listeners,
      int sendOctets,
      int receiveOctets,
      long encrypted,
      Descriptor doorbells,
      Descriptor wake)
      implements DaemonMessage {}

  /**
   * The octet stream is being established; its header tells the outcome.
   *
   * @param request number of the request that is answered
   * @param section of the doorbells
   * @param index of its bit in that section
   * @param sendOctets of the ring for octets to send
   * @param receiveOctets of the ring for received octets
   * @param localAddress of this end
   * @param localPort of this end
   * @param stream the program's socket
   * @param memory the stream's memory, see {@link org.rddp.ipc.ring.StreamMemory}
   */
  @MessageType(52)
  record StreamConnecting(
      int request,
      int section,
      int index,
      int sendOctets,
      int receiveOctets,
      IpAddress localAddress,
      int localPort,
      Descriptor stream,
      Descriptor memory)
      implements DaemonMessage {
    @Override
    public void closeOwned() {
      stream.close();
    }
  }

  /**
   * The listener gets octet streams.
   *
   * @param request number of the request that is answered
   * @param listener its number
   * @param port 1 to 65535
   * @param streams the socket at which they arrive, see {@link OfferSocket}
   */
  @MessageType(54)
  record StreamListening(int request, int listener, int port, Descriptor streams)
      implements DaemonMessage {
    @Override
    public void closeOwned() {
      streams.close();
    }
  }

  /**
   * The octets of the stream pass through a socket.
   *
   * @param request number of the request that is answered
   * @param stream the socket, the same one for all who ask
   */
  @MessageType(57)
  record StreamBridged(int request, Descriptor stream) implements DaemonMessage {
    @Override
    public void closeOwned() {
      stream.close();
    }
  }

  /**
   * The waiter is open.
   *
   * @param request number of the request that is answered
   * @param waiter its number, 1 to {@link org.rddp.ipc.ring.StreamHeader#WAITERS}
   * @param bells its memory, {@link org.rddp.ipc.ring.Doorbells} in which the daemon sets bits
   * @param wake the program's {@link org.rddp.ipc.linux.WakeSocket}
   */
  @MessageType(46)
  record StreamWaiting(int request, int waiter, Descriptor bells, Descriptor wake)
      implements DaemonMessage {
    @Override
    public void closeOwned() {
      wake.close();
    }
  }
}
