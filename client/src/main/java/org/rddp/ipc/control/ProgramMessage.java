package org.rddp.ipc.control;

import org.rddp.client.types.PrivateData;
import org.rddp.ipc.linux.Descriptor;

/**
 * What a program asks of the daemon. Ports and addresses are numbers, addresses in IPv4's 32 bits.
 */
public sealed interface ProgramMessage extends ControlMessage {
  /**
   * The first message: who speaks, in which version. Its layout never changes. Answered by {@link
   * DaemonMessage.Welcome}.
   *
   * @param request number of the request
   * @param version of the protocol, {@link ControlMessage#VERSION}
   * @param program name of the program, for the daemon's log
   * @param interfaceName the daemon's interface to use; empty: its first
   */
  @MessageType(1)
  record Hello(int request, int version, String program, String interfaceName)
      implements ProgramMessage {}

  /**
   * Asks for memory that the daemon makes. Answered by {@link DaemonMessage.MemoryAllocated}.
   *
   * @param request number of the request
   * @param octets greater than 0
   */
  @MessageType(2)
  record AllocateMemory(int request, long octets) implements ProgramMessage {}

  /**
   * Gives the daemon the program's own sealed memfd. Answered by {@link
   * DaemonMessage.MemoryAdopted}.
   *
   * @param request number of the request
   * @param descriptor the memfd
   */
  @MessageType(3)
  record AdoptMemory(int request, Descriptor descriptor) implements ProgramMessage {}

  /**
   * Gives memory back; no STag may name it any more. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param memory number of the memory
   * @param offset where in it, as it was allocated
   */
  @MessageType(4)
  record FreeMemory(int request, int memory, long offset) implements ProgramMessage {}

  /**
   * Registers a range of memory: zero-based, so the Tagged Offset of its first octet is 0. Answered
   * by {@link DaemonMessage.Registered}.
   *
   * @param request number of the request
   * @param memory number of the memory
   * @param offset first octet of the range
   * @param octets greater than 0
   * @param rights see {@link org.rddp.client.types.Access#bit()}
   * @param connection the one that may use it, or 0: all of the session
   */
  @MessageType(5)
  record Register(int request, int memory, long offset, long octets, int rights, int connection)
      implements ProgramMessage {}

  /**
   * Takes an STag back: once the answer is there, nothing is placed through it. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param stag the STag
   */
  @MessageType(6)
  record Deregister(int request, int stag) implements ProgramMessage {}

  /**
   * Accepts connections at a port. Answered by {@link DaemonMessage.Listening}.
   *
   * @param request number of the request
   * @param address IPv4, or 0: the interface's
   * @param port 1 to 65535, or 0: any
   * @param backlog connection requests that may wait for the program
   * @param settings of every connection
   */
  @MessageType(7)
  record Listen(int request, int address, int port, int backlog, ConnectionSettings settings)
      implements ProgramMessage {}

  /**
   * Stops listening; requests that wait are rejected. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param listener its number
   */
  @MessageType(8)
  record CloseListener(int request, int listener) implements ProgramMessage {}

  /**
   * Accepts a connection request. Receives posted before are in place when the peer's first message
   * comes. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param privateData for the MPA reply
   */
  @MessageType(9)
  record Accept(int request, int connection, PrivateData privateData) implements ProgramMessage {}

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
   * @param localAddress IPv4, or 0: the interface's
   * @param remoteAddress IPv4
   * @param remotePort 1 to 65535
   * @param timeoutMillis until Established or Failed, greater than 0
   * @param settings of the connection
   * @param privateData for the MPA request
   */
  @MessageType(11)
  record Connect(
      int request,
      int localAddress,
      int remoteAddress,
      int remotePort,
      int timeoutMillis,
      ConnectionSettings settings,
      PrivateData privateData)
      implements ProgramMessage {}

  /**
   * Ends a connection; its requests complete, the last of them flushed, and Closed follows.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param graceful send what was posted, then close; otherwise reset at once
   */
  @MessageType(12)
  record Disconnect(int request, int connection, boolean graceful) implements ProgramMessage {}

  /**
   * Asks for the daemon's counters. Answered by {@link DaemonMessage.CountersOpened}.
   *
   * @param request number of the request
   */
  @MessageType(13)
  record OpenCounters(int request) implements ProgramMessage {}

  /**
   * Asks for a copy of every frame of the interface. Answered by {@link
   * DaemonMessage.CaptureStarted}.
   *
   * @param request number of the request
   * @param ringOctets size of the ring, a power of two
   * @param snapLength octets kept of a frame
   */
  @MessageType(14)
  record StartCapture(int request, int ringOctets, int snapLength) implements ProgramMessage {}

  /**
   * Stops the capture of this session. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   */
  @MessageType(15)
  record StopCapture(int request) implements ProgramMessage {}

  /**
   * Ends the session: once the answer is there, everything of it is gone. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   */
  @MessageType(16)
  record CloseSession(int request) implements ProgramMessage {}

  /**
   * Asks for a memory window, to be bound by work requests. Answered by {@link
   * DaemonMessage.WindowAllocated}.
   *
   * @param request number of the request
   */
  @MessageType(17)
  record AllocateWindow(int request) implements ProgramMessage {}

  /**
   * Gives a window back: once the answer is there, nothing is placed or read through it. Answered
   * by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param window its number
   */
  @MessageType(18)
  record FreeWindow(int request, int window) implements ProgramMessage {}

  /**
   * Asks for a queue of receives that connections share. Answered by {@link
   * DaemonMessage.ReceiveQueueCreated}.
   *
   * @param request number of the request
   * @param size the most receives it holds
   */
  @MessageType(19)
  record CreateReceiveQueue(int request, int size) implements ProgramMessage {}

  /**
   * Asks for one {@link DaemonMessage.ReceiveQueueLimit} when fewer receives are left than that.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param queue its number
   * @param limit 0 for none
   */
  @MessageType(20)
  record ArmReceiveQueue(int request, int queue, int limit) implements ProgramMessage {}

  /**
   * Gives a queue back that no connection and no listener uses; its receives end as flushed.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param queue its number
   */
  @MessageType(21)
  record DestroyReceiveQueue(int request, int queue) implements ProgramMessage {}
}
