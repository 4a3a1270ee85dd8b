package org.rddp.ipc.control;

import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.ipc.linux.Descriptor;

/** What the daemon sends: one reply to each request (types below 64), and events. */
public sealed interface DaemonMessage extends ControlMessage {
  /**
   * The session is open.
   *
   * @param request the request that it answers
   * @param version of the protocol
   * @param limits what the session may use
   * @param interfaceName the interface
   * @param address its IPv4 address
   * @param rings memory of the rings
   * @param event socket that wakes the program: {@link org.rddp.ipc.linux.SignalReceiver}
   */
  @MessageType(32)
  record Welcome(
      int request,
      int version,
      SessionLimits limits,
      String interfaceName,
      int address,
      Descriptor rings,
      Descriptor event)
      implements DaemonMessage {}

  /**
   * The request was carried out.
   *
   * @param request the request that it answers
   */
  @MessageType(33)
  record Done(int request) implements DaemonMessage {}

  /**
   * The request was not carried out, and changed nothing.
   *
   * @param request the request that it answers
   * @param reason why
   * @param detail a number that belongs to the reason, or 0
   * @param text for people
   */
  @MessageType(34)
  record Refused(int request, Reason reason, int detail, String text) implements DaemonMessage {}

  /**
   * Memory is there, zeroed. Small pieces are cut from a larger memory, whose descriptor comes with
   * the first piece only.
   *
   * @param request the request that it answers
   * @param memory number of the memory
   * @param offset where in it the piece begins
   * @param octets of the piece
   * @param descriptor the memory, if the session does not have it yet; otherwise null
   */
  @MessageType(35)
  record MemoryAllocated(
      int request, int memory, long offset, long octets, @OptionalField Descriptor descriptor)
      implements DaemonMessage {}

  /**
   * The program's memory can be registered.
   *
   * @param request the request that it answers
   * @param memory its number
   */
  @MessageType(36)
  record MemoryAdopted(int request, int memory) implements DaemonMessage {}

  /**
   * The range is registered.
   *
   * @param request the request that it answers
   * @param stag its STag, the same at both ends
   * @param baseTo Tagged Offset of its first octet
   */
  @MessageType(37)
  record Registered(int request, int stag, long baseTo) implements DaemonMessage {}

  /**
   * Connections are accepted.
   *
   * @param request the request that it answers
   * @param listener its number
   * @param address IPv4
   * @param port 1 to 65535
   */
  @MessageType(38)
  record Listening(int request, int listener, int address, int port) implements DaemonMessage {}

  /**
   * The connection is being made: Established, Rejected or Failed follows.
   *
   * @param request the request that it answers
   * @param connection its number
   */
  @MessageType(39)
  record Connecting(int request, int connection) implements DaemonMessage {}

  /**
   * The counters, see {@link org.rddp.ipc.ring.Counters}.
   *
   * @param request the request that it answers
   * @param descriptor their memory, for reading
   */
  @MessageType(40)
  record CountersOpened(int request, Descriptor descriptor) implements DaemonMessage {}

  /**
   * The capture runs, see {@link org.rddp.ipc.ring.CaptureRing}.
   *
   * @param request the request that it answers
   * @param descriptor its memory
   */
  @MessageType(41)
  record CaptureStarted(int request, Descriptor descriptor) implements DaemonMessage {}

  /**
   * The window is there, not bound to anything.
   *
   * @param request the request that it answers
   * @param window its number
   * @param stag the STag that it has once it is bound
   */
  @MessageType(42)
  record WindowAllocated(int request, int window, int stag) implements DaemonMessage {}

  /**
   * A peer asks for a connection: accept or reject it.
   *
   * @param listener where it came in
   * @param connection its number from now on
   * @param localAddress IPv4
   * @param localPort this end's port
   * @param remoteAddress IPv4
   * @param remotePort the peer's port
   * @param privateData of the MPA request
   */
  @MessageType(64)
  record ConnectionRequested(
      int listener,
      int connection,
      int localAddress,
      int localPort,
      int remoteAddress,
      int remotePort,
      PrivateData privateData)
      implements DaemonMessage {}

  /**
   * The connection is in Full Operation.
   *
   * @param connection its number
   * @param localAddress IPv4
   * @param localPort this end's port
   * @param remoteAddress IPv4
   * @param remotePort the peer's port
   * @param privateData of the MPA reply; none at the Responder
   */
  @MessageType(65)
  record Established(
      int connection,
      int localAddress,
      int localPort,
      int remoteAddress,
      int remotePort,
      PrivateData privateData)
      implements DaemonMessage {}

  /**
   * The peer rejected the connection; its number is free again.
   *
   * @param connection its number
   * @param privateData of the MPA reply
   */
  @MessageType(66)
  record Rejected(int connection, PrivateData privateData) implements DaemonMessage {}

  /**
   * The connection could not be made; its number is free again.
   *
   * @param connection its number
   * @param reason why
   * @param detail a number that belongs to the reason, or 0
   * @param text for people
   */
  @MessageType(67)
  record Failed(int connection, Reason reason, int detail, String text) implements DaemonMessage {}

  /**
   * The peer will send nothing more; what was posted is still sent.
   *
   * @param connection its number
   */
  @MessageType(68)
  record PeerClosed(int connection) implements DaemonMessage {}

  /**
   * The connection is gone and its requests have completed; its number is free again.
   *
   * @param connection its number
   * @param reason why
   * @param detail a number that belongs to the reason, or 0
   * @param text for people
   */
  @MessageType(69)
  record Closed(int connection, Reason reason, int detail, String text) implements DaemonMessage {}

  /**
   * Plain DDP: the stream has failed and its requests have ended. Nothing more is received, and one
   * more message may be sent; the program ends the connection.
   *
   * @param connection its number
   * @param reason which layer has failed
   * @param detail the error's number there
   * @param header of the segment that was refused, in hexadecimal; empty if it was none
   * @param segmentOctets the length of that segment, header included
   * @param text for people
   */
  @MessageType(70)
  record StreamFailed(
      int connection, Reason reason, int detail, String header, int segmentOctets, String text)
      implements DaemonMessage {}

  /**
   * The shared receive queue is there, without receives.
   *
   * @param request the request that it answers
   * @param queue its number
   */
  @MessageType(43)
  record ReceiveQueueCreated(int request, int queue) implements DaemonMessage {}

  /**
   * Fewer receives are left in a shared queue than the program has asked to be told of.
   *
   * @param queue its number
   */
  @MessageType(71)
  record ReceiveQueueLimit(int queue) implements DaemonMessage {}
}
