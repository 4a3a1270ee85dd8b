package org.rddp.daemon.engine;

import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;
import org.rddp.rdmap.RdmapStream;
import org.rddp.snapshot.Snapshot;

/**
 * Sends what a program has written into the send ring of its octet stream: whatever is there goes
 * as one Send, so that small writes that follow one another closely travel together, and a lone one
 * leaves at once. Never sends more than the peer has room for. Engine thread only.
 */
final class StreamSender {
  /** The bit of the immediate data that says that nothing follows. */
  static final int END = 1 << 31;

  /** Most octets of a message. */
  static final int MOST = 1 << 16;

  /** Messages under way at a time: more would only keep small writes apart. */
  static final int DEPTH = 8;

  /** Messages, and octets of each, that are sent before the peer's first message has come. */
  static final int FIRST = 4;

  static final int FIRST_OCTETS = 1 << 14;

  private static final int COUNT = END - 1;

  /**
   * Most octets that a message of the peer makes room for: more is less, in a count modulo 2^31.
   */
  private static final int MOST_CREDIT = 1 << 30;

  private final OctetStream stream;
  private final RdmapStream rdmap;
  private final StreamReceiver receiver;
  private final StreamRequest request = new StreamRequest();
  private final RingGrowth growth = new RingGrowth();
  private StreamHeader header;
  private StreamRing ring;

  /** Positions: written by programs, posted to RDMAP, passed to TCP, and published as such. */
  private long written;

  private long posted;
  private long sent;
  private long published;

  /** Octets for which the peer has room, from the beginning on, and those of the beginning. */
  private long granted;

  private int window;

  private boolean heard;
  private int messages;
  private int underWay;
  private long count;
  private boolean ending;
  private boolean endPosted;

  StreamSender(OctetStream stream, RdmapStream rdmap, StreamReceiver receiver) {
    this.stream = stream;
    this.rdmap = rdmap;
    this.receiver = receiver;
  }

  /** Sends from this memory from now on; nothing has been sent. */
  void use(StreamMemory from) {
    header = from.header();
    ring = from.sending();
  }

  /** The peer has so much room. */
  void begin(int peerWindow) {
    window = peerWindow;
    granted = peerWindow;
  }

  /** Takes what programs have written. Returns false if what they say cannot be. */
  boolean look() {
    return look(header.written());
  }

  boolean look(long said) {
    long position = said & ~StreamHeader.MOVED;
    if (position != written && !takeLength(header.sendRing())) {
      return false;
    }
    if (position < written || position - sent > ring.octets()) {
      return false;
    }
    if (position != written) {
      written = position;
      growth.note(ring, room());
    }
    return true;
  }

  /**
   * Programs have written into a ring of this length. What they have written before lies in it
   * where it did, or it is their fault.
   */
  private boolean takeLength(int octets) {
    return octets == ring.octets() || (growth.isAllowed(ring) && ring.use(octets));
  }

  /** Whether memory is to be allocated for a longer ring. Says so once. */
  boolean asksForMore() {
    return growth.ask(ring);
  }

  /** The ring may get as long as it can be. */
  void allowMore() {
    growth.allow();
    header.sendAllowed(ring.largest());
  }

  /** Nothing follows what has been written. */
  void end() {
    ending = true;
  }

  /** Whether the program has ended what it sends. */
  boolean isEnding() {
    return ending;
  }

  /** Whether everything, and the end, has been passed to TCP. */
  boolean hasEnded() {
    return endPosted && underWay == 0;
  }

  /** Octets for which the ring has room. */
  int room() {
    return ring.octets() - (int) (written - sent);
  }

  /** Address where the next octet is written, by the daemon itself. */
  long nextAddress() {
    return ring.address(written);
  }

  /** Octets for which there is room in a row. */
  int roomInRow() {
    return Math.min(room(), ring.inRow(written));
  }

  /** The daemon itself has written octets into the ring. */
  void add(int octets) {
    written += octets;
  }

  /** Sends what may be sent, and what the peer has to know. */
  void pump() {
    boolean told = false;
    while (stream.mayPost() && underWay < DEPTH && !endPosted && (heard || messages < FIRST)) {
      long octets = Math.min(written - posted, granted - posted);
      octets = Math.min(octets, heard ? MOST : FIRST_OCTETS);
      boolean last = ending && posted + octets == written;
      if (octets == 0 && !last) {
        break;
      }
      post(octets, last);
      told = true;
    }
    if (!told && stream.mayPost() && receiver.owesCredit() && (heard || messages < FIRST)) {
      // The queue has room for one more.
      if (underWay <= DEPTH) {
        post(0, false);
      }
    }
  }

  /** Tells the peer that its octets are taken, with its first message. */
  void greet() {
    pump();
    if (messages == 0 && stream.mayPost()) {
      post(0, false);
    }
  }

  private void post(long octets, boolean last) {
    request.begin(octets).immediate(receiver.credit() | (last ? END : 0));
    RingPieces.add(request, ring, posted, octets);
    posted += octets;
    messages += heard ? 0 : 1;
    underWay++;
    endPosted |= last;
    rdmap.postSendWithImmediate(request);
  }

  /** Whether octets wait for the peer to say that it has room. */
  boolean isBlocked() {
    return written > posted && underWay == 0;
  }

  /** A message has been passed to TCP. */
  void onSent(long octets) {
    underWay--;
    sent += octets;
    count++;
  }

  /** A message has been dropped, since the connection has ended. */
  void onDropped() {
    underWay--;
  }

  /**
   * Takes the credit that came with a message.
   *
   * @return false if the peer takes room back
   */
  boolean onCredit(int data) {
    heard = true;
    int more = (data & COUNT) - (int) (granted - window & COUNT) & COUNT;
    if (more > MOST_CREDIT) {
      return false;
    }
    granted += more;
    return true;
  }

  /** Publishes the room of sent octets. Returns whether there is more of it than before. */
  boolean publish() {
    if (published == sent) {
      return false;
    }
    published = sent;
    header.taken(sent);
    return true;
  }

  /** Whether so much room is free that a program that waits for it goes on. */
  boolean hasRoom() {
    return room() >= ring.octets() / 2;
  }

  /** Messages that have been passed to TCP. */
  long messages() {
    return count;
  }

  /** Messages that have not. */
  int underWay() {
    return underWay;
  }

  /** Transfers it; its memory is in use. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StreamSender.class);
    written = snapshot.number("written", written);
    posted = snapshot.number("posted", posted);
    sent = snapshot.number("sent", sent);
    published = snapshot.number("published", published);
    granted = snapshot.number("granted", granted);
    window = snapshot.number("window", window);
    heard = snapshot.flag("heard", heard);
    messages = snapshot.number("messages", messages);
    underWay = snapshot.number("underWay", underWay, 0, DEPTH + 1);
    count = snapshot.number("count", count);
    ending = snapshot.flag("ending", ending);
    endPosted = snapshot.flag("endPosted", endPosted);
    growth.transfer(snapshot, ring);
    if (sent > posted || posted > written || written - sent > ring.octets()) {
      throw snapshot.wrong("positions of a send ring");
    }
    snapshot.end();
  }
}
