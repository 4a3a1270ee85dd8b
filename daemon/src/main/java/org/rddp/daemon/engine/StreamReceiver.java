package org.rddp.daemon.engine;

import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.rdmap.RdmapStream;

/**
 * Receives an octet stream into its ring. The receive for a message is posted when its first
 * segment comes, and begins where the message before has ended. A message that is longer than what
 * the peer may send finds a receive that is too short, which ends the connection. Engine thread
 * only.
 */
final class StreamReceiver {
  private static final int COUNT = Integer.MAX_VALUE;

  private final RdmapStream rdmap;
  private final StreamRequest request = new StreamRequest();
  private StreamMemory memory;

  /** Positions: received, read by programs, and told to the peer as read. */
  private long received;

  private long consumed;
  private long announced;

  private long count;
  private boolean posted;
  private boolean ended;
  private boolean closed;
  private boolean nonsense;

  StreamReceiver(RdmapStream rdmap) {
    this.rdmap = rdmap;
  }

  /** Receives into this memory from now on; nothing has been received. */
  void use(StreamMemory into) {
    memory = into;
  }

  /** Posts a receive for the next message. */
  void post() {
    long room = closed ? 0 : announced + memory.receiveOctets() - received;
    long octets = Math.min(room, StreamSender.MOST);
    request.begin(0);
    if (octets > 0) {
      request.memory(memory.receiveAddress(received), octets);
    }
    posted = true;
    rdmap.postReceive(request);
  }

  /** Whether a receive waits for a message. */
  boolean isPosted() {
    return posted;
  }

  /** The posted receive has ended. */
  void onEnded() {
    posted = false;
  }

  /** A message has come. */
  void onMessage(long octets) {
    posted = false;
    received += octets;
    count++;
  }

  /** Messages that have come. */
  long messages() {
    return count;
  }

  /** The peer sends no more. */
  void end() {
    ended = true;
  }

  /** Whether the peer sends no more. */
  boolean hasEnded() {
    return ended;
  }

  /** Nobody reads any more: octets that come end the connection. */
  void close() {
    closed = true;
  }

  /** Takes what programs have read. Returns false if what they say cannot be. */
  boolean look() {
    return look(memory.header().consumed());
  }

  boolean look(long said) {
    long position = said & ~StreamHeader.MOVED;
    if (position < consumed || position > received) {
      nonsense = true;
      return false;
    }
    consumed = position;
    return true;
  }

  /** Whether a program has said what cannot be. */
  boolean isNonsense() {
    return nonsense;
  }

  /** Octets that have come and not been read. */
  long unread() {
    return received - consumed;
  }

  /** Octets that have come. */
  long received() {
    return received;
  }

  /** Address of the first octet that has not been read, for the daemon itself. */
  long nextAddress() {
    return memory.receiveAddress(consumed);
  }

  /** The daemon itself has read octets. */
  void consume(long octets) {
    consumed += octets;
  }

  /** What the peer is told with a message: octets that have been read. */
  int credit() {
    announced = consumed;
    return (int) (announced & COUNT);
  }

  /** Whether so much has been read that the peer must be told. */
  boolean owesCredit() {
    return !closed && consumed - announced >= memory.receiveOctets() / 4;
  }
}
