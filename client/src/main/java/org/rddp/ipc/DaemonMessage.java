package org.rddp.ipc;

/** What the daemon sends: one reply to each request (types below 64), and events. */
public sealed interface DaemonMessage extends ControlMessage
    permits DaemonMessage.Welcome,
        DaemonMessage.Done,
        DaemonMessage.Refused,
        DaemonMessage.MemoryAllocated,
        DaemonMessage.MemoryAdopted,
        DaemonMessage.Registered,
        DaemonMessage.Listening,
        DaemonMessage.Connecting,
        DaemonMessage.CountersOpened,
        DaemonMessage.CaptureStarted,
        DaemonMessage.WindowAllocated,
        DaemonMessage.ReceiveQueueCreated,
        DaemonMessage.ReceiveQueueLimit,
        DaemonMessage.ConnectionRequested,
        DaemonMessage.Established,
        DaemonMessage.Rejected,
        DaemonMessage.Failed,
        DaemonMessage.PeerClosed,
        DaemonMessage.Closed,
        DaemonMessage.StreamFailed {
  /** Reads the fields behind the header; the caller has checked the request's number. */
  static DaemonMessage read(int type, int request, MessageBuffer buffer)
      throws ControlProtocolException {
    return switch (type) {
      case 32 ->
          new Welcome(
              request,
              buffer.getInt(),
              SessionLimits.read(buffer),
              buffer.getText(),
              buffer.getInt(),
              buffer.getDescriptor(),
              buffer.getDescriptor());
      case 33 -> new Done(request);
      case 34 ->
          new Refused(request, Reason.of(buffer.getInt()), buffer.getInt(), buffer.getText());
      case 35 ->
          new MemoryAllocated(
              request,
              buffer.getInt(),
              buffer.getLong(),
              buffer.getLong(),
              buffer.getOptionalDescriptor());
      case 36 -> new MemoryAdopted(request, buffer.getInt());
      case 37 -> new Registered(request, buffer.getInt(), buffer.getLong());
      case 38 -> new Listening(request, buffer.getInt(), buffer.getInt(), buffer.getInt());
      case 39 -> new Connecting(request, buffer.getInt());
      case 40 -> new CountersOpened(request, buffer.getDescriptor());
      case 41 -> new CaptureStarted(request, buffer.getDescriptor());
      case 42 -> new WindowAllocated(request, buffer.getInt(), buffer.getInt());
      case 43 -> new ReceiveQueueCreated(request, buffer.getInt());
      case 71 -> new ReceiveQueueLimit(buffer.getInt());
      case 64 ->
          new ConnectionRequested(
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getPrivateData());
      case 65 ->
          new Established(
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getInt(),
              buffer.getPrivateData());
      case 66 -> new Rejected(buffer.getInt(), buffer.getPrivateData());
      case 67 ->
          new Failed(
              buffer.getInt(), Reason.of(buffer.getInt()), buffer.getInt(), buffer.getText());
      case 68 -> new PeerClosed(buffer.getInt());
      case 69 ->
          new Closed(
              buffer.getInt(), Reason.of(buffer.getInt()), buffer.getInt(), buffer.getText());
      case 70 ->
          new StreamFailed(
              buffer.getInt(),
              Reason.of(buffer.getInt()),
              buffer.getInt(),
              buffer.getText(),
              buffer.getInt(),
              buffer.getText());
      default -> throw new ControlProtocolException("unknown message type " + type);
    };
  }

  /**
   * The session is open.
   *
   * @param request the request that it answers
   * @param version of the protocol
   * @param limits what the session may use
   * @param interfaceName the interface
   * @param address its IPv4 address
   * @param rings memory of the rings
   * @param event socket that wakes the program: {@link SignalReceiver}
   */
  record Welcome(
      int request,
      int version,
      SessionLimits limits,
      String interfaceName,
      int address,
      Descriptor rings,
      Descriptor event)
      implements DaemonMessage {
    @Override
    public int type() {
      return 32;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(version);
      limits.write(buffer);
      buffer.putText(interfaceName);
      buffer.putInt(address);
      buffer.putDescriptor(rings);
      buffer.putDescriptor(event);
    }
  }

  /**
   * The request was carried out.
   *
   * @param request the request that it answers
   */
  record Done(int request) implements DaemonMessage {
    @Override
    public int type() {
      return 33;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {}
  }

  /**
   * The request was not carried out, and changed nothing.
   *
   * @param request the request that it answers
   * @param reason why
   * @param detail a number that belongs to the reason, or 0
   * @param text for people
   */
  record Refused(int request, Reason reason, int detail, String text) implements DaemonMessage {
    @Override
    public int type() {
      return 34;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(reason.code());
      buffer.putInt(detail);
      buffer.putText(text);
    }
  }

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
  record MemoryAllocated(int request, int memory, long offset, long octets, Descriptor descriptor)
      implements DaemonMessage {
    @Override
    public int type() {
      return 35;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(memory);
      buffer.putLong(offset);
      buffer.putLong(octets);
      buffer.putOptionalDescriptor(descriptor);
    }
  }

  /**
   * The program's memory can be registered.
   *
   * @param request the request that it answers
   * @param memory its number
   */
  record MemoryAdopted(int request, int memory) implements DaemonMessage {
    @Override
    public int type() {
      return 36;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(memory);
    }
  }

  /**
   * The range is registered.
   *
   * @param request the request that it answers
   * @param stag its STag, the same at both ends
   * @param baseTo Tagged Offset of its first octet
   */
  record Registered(int request, int stag, long baseTo) implements DaemonMessage {
    @Override
    public int type() {
      return 37;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(stag);
      buffer.putLong(baseTo);
    }
  }

  /**
   * Connections are accepted.
   *
   * @param request the request that it answers
   * @param listener its number
   * @param address IPv4
   * @param port 1 to 65535
   */
  record Listening(int request, int listener, int address, int port) implements DaemonMessage {
    @Override
    public int type() {
      return 38;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(listener);
      buffer.putInt(address);
      buffer.putInt(port);
    }
  }

  /**
   * The connection is being made: Established, Rejected or Failed follows.
   *
   * @param request the request that it answers
   * @param connection its number
   */
  record Connecting(int request, int connection) implements DaemonMessage {
    @Override
    public int type() {
      return 39;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
    }
  }

  /**
   * The counters, see {@link Counters}.
   *
   * @param request the request that it answers
   * @param descriptor their memory, for reading
   */
  record CountersOpened(int request, Descriptor descriptor) implements DaemonMessage {
    @Override
    public int type() {
      return 40;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putDescriptor(descriptor);
    }
  }

  /**
   * The capture runs, see {@link CaptureRing}.
   *
   * @param request the request that it answers
   * @param descriptor its memory
   */
  record CaptureStarted(int request, Descriptor descriptor) implements DaemonMessage {
    @Override
    public int type() {
      return 41;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putDescriptor(descriptor);
    }
  }

  /**
   * The window is there, not bound to anything.
   *
   * @param request the request that it answers
   * @param window its number
   * @param stag the STag that it has once it is bound
   */
  record WindowAllocated(int request, int window, int stag) implements DaemonMessage {
    @Override
    public int type() {
      return 42;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(window);
      buffer.putInt(stag);
    }
  }

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
  record ConnectionRequested(
      int listener,
      int connection,
      int localAddress,
      int localPort,
      int remoteAddress,
      int remotePort,
      PrivateData privateData)
      implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 64;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(listener);
      buffer.putInt(connection);
      buffer.putInt(localAddress);
      buffer.putInt(localPort);
      buffer.putInt(remoteAddress);
      buffer.putInt(remotePort);
      buffer.putPrivateData(privateData);
    }
  }

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
  record Established(
      int connection,
      int localAddress,
      int localPort,
      int remoteAddress,
      int remotePort,
      PrivateData privateData)
      implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 65;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putInt(localAddress);
      buffer.putInt(localPort);
      buffer.putInt(remoteAddress);
      buffer.putInt(remotePort);
      buffer.putPrivateData(privateData);
    }
  }

  /**
   * The peer rejected the connection; its number is free again.
   *
   * @param connection its number
   * @param privateData of the MPA reply
   */
  record Rejected(int connection, PrivateData privateData) implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 66;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putPrivateData(privateData);
    }
  }

  /**
   * The connection could not be made; its number is free again.
   *
   * @param connection its number
   * @param reason why
   * @param detail a number that belongs to the reason, or 0
   * @param text for people
   */
  record Failed(int connection, Reason reason, int detail, String text) implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 67;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putInt(reason.code());
      buffer.putInt(detail);
      buffer.putText(text);
    }
  }

  /**
   * The peer will send nothing more; what was posted is still sent.
   *
   * @param connection its number
   */
  record PeerClosed(int connection) implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 68;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
    }
  }

  /**
   * The connection is gone and its requests have completed; its number is free again.
   *
   * @param connection its number
   * @param reason why
   * @param detail a number that belongs to the reason, or 0
   * @param text for people
   */
  record Closed(int connection, Reason reason, int detail, String text) implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 69;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putInt(reason.code());
      buffer.putInt(detail);
      buffer.putText(text);
    }
  }

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
  record StreamFailed(
      int connection, Reason reason, int detail, String header, int segmentOctets, String text)
      implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 70;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(connection);
      buffer.putInt(reason.code());
      buffer.putInt(detail);
      buffer.putText(header);
      buffer.putInt(segmentOctets);
      buffer.putText(text);
    }
  }

  /**
   * The shared receive queue is there, without receives.
   *
   * @param request the request that it answers
   * @param queue its number
   */
  record ReceiveQueueCreated(int request, int queue) implements DaemonMessage {
    @Override
    public int type() {
      return 43;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(queue);
    }
  }

  /**
   * Fewer receives are left in a shared queue than the program has asked to be told of.
   *
   * @param queue its number
   */
  record ReceiveQueueLimit(int queue) implements DaemonMessage {
    @Override
    public int request() {
      return 0;
    }

    @Override
    public int type() {
      return 71;
    }

    @Override
    public void writeFields(MessageBuffer buffer) {
      buffer.putInt(queue);
    }
  }
}
