package org.rddp.tcp;

/**
 * What a user of a TCP connection implements: how the connection speaks upward. All calls come on
 * the engine's thread, from within the stack's own methods; a handler may call back into its {@link
 * TcpStream} from any of them.
 */
public interface StreamHandler {
  /** The connection is established: both ends may send. Called once, first. */
  void onOpen(TcpStream stream);

  /**
   * Asked about every segment with payload in the window, before anything in it counts: TCP has not
   * committed to it, nothing of it has been acknowledged. A user that knows better than TCP's
   * checksum can have it dropped, as if it had not arrived, and the peer sends it again (RFC 5044
   * section 8).
   *
   * @param position stream position of its first octet; octets of it may have come before
   * @param address where its payload lies
   * @param length octets of that, greater than 0
   * @return false to drop it
   */
  default boolean accepts(long position, long address, int length) {
    return true;
  }

  /**
   * Octets have arrived, in their turn or before it: the moment that their segment is accepted (RFC
   * 5044 appendix A.3). Every octet comes exactly once: of a segment that repeats some, only the
   * pieces that are new come, each in a call of its own. {@link InOrderHandler} is for users who
   * want them in order.
   *
   * <p>In their turn, {@code position + length} is {@link TcpStream#receivePosition()} during this
   * call. Before their turn, {@code position} is greater than that; the turn comes with {@link
   * #onLeftEdge}.
   *
   * <p>The octets stay in the packet buffer and count against the receive window until {@link
   * TcpStream#consumed(int)} says that they are done with. To keep them beyond this call, retain
   * the packet.
   *
   * @param position stream position of the first octet; the first octet the peer ever sends is 0
   * @param address where they lie
   * @param length how many, greater than 0
   * @param packet the packet they lie in
   */
  void onSegment(long position, long address, int length, long packet);

  /**
   * A gap is closed: with the octets just handed up in their turn, everything before the position
   * has been handed up. Without early octets {@link #onSegment} moves the edge, to behind its
   * octets, and this does not come.
   *
   * @param position the left edge of the receive window, {@link TcpStream#receivePosition()}
   */
  void onLeftEdge(long position);

  /**
   * After {@link TcpStream#sendable()} was false or {@link TcpStream#allocate()} gave nothing: it
   * is worth trying again.
   */
  void onSendable();

  /** {@link TcpStream#emss()} has changed. */
  void onEmss(int emss);

  /** The time set by {@link TcpStream#alarm(long)} has come. */
  void onAlarm(long now);

  /**
   * The peer has closed its half (FIN) and everything before has been handed up. Ours stays usable.
   */
  void onPeerClosed();

  /**
   * The connection is gone. Called once, last, also when it was never established.
   *
   * @param reason why
   */
  void onClosed(CloseReason reason);
}
