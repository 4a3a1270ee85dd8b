package org.rddp.daemon.engine;

import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;
import org.rddp.rdmap.RdmapStream;
import org.rddp.snapshot.Snapshot;

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
  private final RingGrowth growth = new RingGrowth();
  private StreamHeader header;
  private StreamRing ring;

  /** Positions: received, read by programs, and up to which the peer may send. */
  private long received;

  private long consumed;
  private long granted;

  /** Octets for which the peer has room at the beginning. */
  private int window;

  private long count;
  private boolean posted;
  private boolean ended;

  StreamReceiver(RdmapStream rdmap) {
    this.rdmap = rdmap;
  }

  /** Receives into this memory from now on; nothing has been received. */
  void use(StreamMemory into) {
    header = into.header();
    ring = into.receiving();
    window = ring.octets();
    granted = window;
  }

  /** Posts a receive for the next message. */
  void post() {
    if (growth.isAllowed(ring) && ring.canUse(ring.largest(), consumed, received)) {
      ring.use(ring.largest());
      header.receiveRing(ring.octets());
    }
    long room = granted - received;
    request.begin(0);
    RingPieces.add(request, ring, received, Math.min(room, StreamSender.MOST));
    posted = true;
    rdmap.postReceive(request);
  }

  /** Whether memory is to be allocated for a longer ring. Says so once. */
  boolean asksForMore() {
    return growth.ask(ring);
  }

  /** The ring may get as long as it can be. */
  void allowMore() {
    growth.allow();
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

  /** Takes what programs have read. Returns false if what they say cannot be. */
  boolean look() {
    return look(header.consumed());
  }

  boolean look(long said) {
    long position = said & ~StreamHeader.MOVED;
    if (position < consumed || position > received) {
      return false;
    }
    consumed = position;
    return true;
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
    return ring.address(consumed);
  }

  /** Octets that have come and not been read, and lie in a row. */
  long unreadInRow() {
    return Math.min(unread(), ring.inRow(consumed));
  }

  /** The daemon itself has read octets. */
  void consume(long octets) {
    consumed += octets;
  }

  /** What the peer is told with a message: room that it has got since the beginning. */
  int credit() {
    growth.note(ring, granted - received);
    granted = consumed + ring.octets();
    return (int) (granted - window & COUNT);
  }

  /** Whether there is so much new room that the peer must be told: any, if it has none left. */
  boolean owesCredit() {
    long more = consumed + ring.octets() - granted;
    return more >= ring.octets() / 4 || (more > 0 && granted == received);
  }

  /** Transfers it; its memory is in use. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StreamReceiver.class);
    received = snapshot.number("received", received);
    consumed = snapshot.number("consumed", consumed);
    granted = snapshot.number("granted", granted);
    window = snapshot.number("window", window);
    count = snapshot.number("count", count);
    posted = snapshot.flag("posted", posted);
    ended = snapshot.flag("ended", ended);
    growth.transfer(snapshot, ring);
    if (consumed > received || received > granted || granted - consumed > ring.octets()) {
      throw snapshot.wrong("positions of a receive ring");
    }
    snapshot.end();
  }
}
