package org.rddp.ipc;

/**
 * What a program asks of the daemon. Ports and addresses are numbers, addresses in IPv4's 32 bits.
 */
public sealed interface ProgramMessage extends ControlMessage
    permits ProgramMessage.Hello,
        ProgramMessage.AllocateMemory,
        ProgramMessage.AdoptMemory,
        ProgramMessage.FreeMemory,
        ProgramMessage.Register,
        ProgramMessage.Deregister,
        ProgramMessage.Listen,
        ProgramMessage.CloseListener,
        ProgramMessage.Accept,
        ProgramMessage.Reject,
        ProgramMessage.Connect,
        ProgramMessage.Disconnect,
        ProgramMessage.OpenCounters,
        ProgramMessage.StartCapture,
        ProgramMessage.StopCapture,
        ProgramMessage.CloseSession,
        ProgramMessage.AllocateWindow,
        ProgramMessage.FreeWindow,
        ProgramMessage.CreateReceiveQueue,
        ProgramMessage.ArmReceiveQueue,
        ProgramMessage.DestroyReceiveQueue {
  /** Reads the fields behind the header; the caller has checked the request's number. */
  static ProgramMessage read(int type, int request, MessageBuffer buffer)
      throws ControlProtocolException {
    return switch (type) {
      case 1 -> new Hello(request, buffer.getInt(), buffer.getText(), buffer.getText());
      case 2 -> new AllocateMemory(request, buffer.getLong());
      case 3 -> new AdoptMemory(request, buffer.getDescriptor());
      case 4 -> new FreeMemory(request, buffer.getInt(), buffer.getLong());
      case 5 ->
          new Register(
              request,
              buffer.getInt(),
              buffer.getLong(),
              buffer.getLong(),
              buffer.getInt(),
              buffer.getInt());
      case 6 -> new Deregister(request, buffer.getInt());
      case 7 ->
          new Listen(
              request,
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              ConnectionSettings.read(buffer));
      case 8 -> new CloseListener(request, buffer.getInt());
      case 9 -> new Accept(request, buffer.getInt(), buffer.getPrivateData());
      case 10 -> new Reject(request, buffer.getInt(), buffer.getPrivateData());
      case 11 ->
          new Connect(
              request,
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              ConnectionSettings.read(buffer),
              buffer.getPrivateData());
      case 12 -> new Disconnect(request, buffer.getInt(), buffer.getBoolean());
      case 13 -> new OpenCounters(request);
      case 14 -> new StartCapture(request, buffer.getInt(), buffer.getInt());
      case 15 -> new StopCapture(request);
      case 16 -> new CloseSession(request);
      case 17 -> new AllocateWindow(request);
      case 18 -> new FreeWindow(request, buffer.getInt());
      case 19 -> new CreateReceiveQueue(request, buffer.getInt());
      case 20 -> new ArmReceiveQueue(request, buffer.getInt(), buffer.getInt());
      case 21 -> new DestroyReceiveQueue(request, buffer.getInt());
      default -> throw new ControlProtocolException("unknown message type " + type);
    };
  }

  /**
   * The first message: who speaks, in which version. Its layout never changes. Answered by {@link
   * DaemonMessage.Welcome}.
   *
   * @param request number of the request
   * @param version of the protocol, {@link ControlMessage#VERSION}
   * @param program name of the program, for the daemon's log
   * @param interfaceName the daemon's interface to use; empty: its first
   */
  record Hello(int request, int version, String program, String interfaceName)
      implements ProgramMessage {
    @Override
    public int type() {
      return 1;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(version);
      buffer.putText(program);
      buffer.putText(interfaceName);
    }
  }

  /**
   * Asks for memory that the daemon makes. Answered by {@link DaemonMessage.MemoryAllocated}.
   *
   * @param request number of the request
   * @param octets greater than 0
   */
  record AllocateMemory(int request, long octets) implements ProgramMessage {
    @Override
    public int type() {
      return 2;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putLong(octets);
    }
  }

  /**
   * Gives the daemon the program's own sealed memfd. Answered by {@link
   * DaemonMessage.MemoryAdopted}.
   *
   * @param request number of the request
   * @param descriptor the memfd
   */
  record AdoptMemory(int request, Descriptor descriptor) implements ProgramMessage {
    @Override
    public int type() {
      return 3;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putDescriptor(descriptor);
    }
  }

  /**
   * Gives memory back; no STag may name it any more. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param memory number of the memory
   * @param offset where in it, as it was allocated
   */
  record FreeMemory(int request, int memory, long offset) implements ProgramMessage {
    @Override
    public int type() {
      return 4;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(memory);
      buffer.putLong(offset);
    }
  }

  /**
   * Registers a range of memory: zero-based, so the Tagged Offset of its first octet is 0. Answered
   * by {@link DaemonMessage.Registered}.
   *
   * @param request number of the request
   * @param memory number of the memory
   * @param offset first octet of the range
   * @param octets greater than 0
   * @param rights see {@link Access#bit()}
   * @param connection the one that may use it, or 0: all of the session
   */
  record Register(int request, int memory, long offset, long octets, int rights, int connection)
      implements ProgramMessage {
    @Override
    public int type() {
      return 5;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(memory);
      buffer.putLong(offset);
      buffer.putLong(octets);
      buffer.putInt(rights);
      buffer.putInt(connection);
    }
  }

  /**
   * Takes an STag back: once the answer is there, nothing is placed through it. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param stag the STag
   */
  record Deregister(int request, int stag) implements ProgramMessage {
    @Override
    public int type() {
      return 6;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(stag);
    }
  }

  /**
   * Accepts connections at a port. Answered by {@link DaemonMessage.Listening}.
   *
   * @param request number of the request
   * @param address IPv4, or 0: the interface's
   * @param port 1 to 65535, or 0: any
   * @param backlog connection requests that may wait for the program
   * @param settings of every connection
   */
  record Listen(int request, int address, int port, int backlog, ConnectionSettings settings)
      implements ProgramMessage {
    @Override
    public int type() {
      return 7;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(address);
      buffer.putInt(port);
      buffer.putInt(backlog);
      settings.write(buffer);
    }
  }

  /**
   * Stops listening; requests that wait are rejected. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param listener its number
   */
  record CloseListener(int request, int listener) implements ProgramMessage {
    @Override
    public int type() {
      return 8;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(listener);
    }
  }

  /**
   * Accepts a connection request. Receives posted before are in place when the peer's first message
   * comes. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param privateData for the MPA reply
   */
  record Accept(int request, int connection, PrivateData privateData) implements ProgramMessage {
    @Override
    public int type() {
      return 9;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putPrivateData(privateData);
    }
  }

  /**
   * Rejects a connection request. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param privateData for the MPA reply
   */
  record Reject(int request, int connection, PrivateData privateData) implements ProgramMessage {
    @Override
    public int type() {
      return 10;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putPrivateData(privateData);
    }
  }

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
  record Connect(
      int request,
      int localAddress,
      int remoteAddress,
      int remotePort,
      int timeoutMillis,
      ConnectionSettings settings,
      PrivateData privateData)
      implements ProgramMessage {
    @Override
    public int type() {
      return 11;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(localAddress);
      buffer.putInt(remoteAddress);
      buffer.putInt(remotePort);
      buffer.putInt(timeoutMillis);
      settings.write(buffer);
      buffer.putPrivateData(privateData);
    }
  }

  /**
   * Ends a connection; its requests complete, the last of them flushed, and Closed follows.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param connection its number
   * @param graceful send what was posted, then close; otherwise reset at once
   */
  record Disconnect(int request, int connection, boolean graceful) implements ProgramMessage {
    @Override
    public int type() {
      return 12;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putByte(graceful ? 1 : 0);
    }
  }

  /**
   * Asks for the daemon's counters. Answered by {@link DaemonMessage.CountersOpened}.
   *
   * @param request number of the request
   */
  record OpenCounters(int request) implements ProgramMessage {
    @Override
    public int type() {
      return 13;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {}
  }

  /**
   * Asks for a copy of every frame of the interface. Answered by {@link
   * DaemonMessage.CaptureStarted}.
   *
   * @param request number of the request
   * @param ringOctets size of the ring, a power of two
   * @param snapLength octets kept of a frame
   */
  record StartCapture(int request, int ringOctets, int snapLength) implements ProgramMessage {
    @Override
    public int type() {
      return 14;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(ringOctets);
      buffer.putInt(snapLength);
    }
  }

  /**
   * Stops the capture of this session. Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   */
  record StopCapture(int request) implements ProgramMessage {
    @Override
    public int type() {
      return 15;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {}
  }

  /**
   * Ends the session: once the answer is there, everything of it is gone. Answered by {@link
   * DaemonMessage.Done}.
   *
   * @param request number of the request
   */
  record CloseSession(int request) implements ProgramMessage {
    @Override
    public int type() {
      return 16;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {}
  }

  /**
   * Asks for a memory window, to be bound by work requests. Answered by {@link
   * DaemonMessage.WindowAllocated}.
   *
   * @param request number of the request
   */
  record AllocateWindow(int request) implements ProgramMessage {
    @Override
    public int type() {
      return 17;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {}
  }

  /**
   * Gives a window back: once the answer is there, nothing is placed or read through it. Answered
   * by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param window its number
   */
  record FreeWindow(int request, int window) implements ProgramMessage {
    @Override
    public int type() {
      return 18;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(window);
    }
  }

  /**
   * Asks for a queue of receives that connections share. Answered by {@link
   * DaemonMessage.ReceiveQueueCreated}.
   *
   * @param request number of the request
   * @param size the most receives it holds
   */
  record CreateReceiveQueue(int request, int size) implements ProgramMessage {
    @Override
    public int type() {
      return 19;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(size);
    }
  }

  /**
   * Asks for one {@link DaemonMessage.ReceiveQueueLimit} when fewer receives are left than that.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param queue its number
   * @param limit 0 for none
   */
  record ArmReceiveQueue(int request, int queue, int limit) implements ProgramMessage {
    @Override
    public int type() {
      return 20;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(queue);
      buffer.putInt(limit);
    }
  }

  /**
   * Gives a queue back that no connection and no listener uses; its receives end as flushed.
   * Answered by {@link DaemonMessage.Done}.
   *
   * @param request number of the request
   * @param queue its number
   */
  record DestroyReceiveQueue(int request, int queue) implements ProgramMessage {
    @Override
    public int type() {
      return 21;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(queue);
    }
  }
}
