package org.rddp.ddp.sending;

import org.rddp.snapshot.Snapshot;

/**
 * The numbers in the headers of a message's segments, by which the peer names a segment with an
 * error. A Tagged Message that another follows has those of both. Reused.
 */
class MessageName {
  /** Octets that it adds to an object on the heap. */
  static final int OCTETS = 32;

  private boolean tagged;
  private int stag;
  private long to;
  private long octets;
  private boolean untagged;
  private int qn;
  private int msn;

  void clear() {
    tagged = false;
    untagged = false;
  }

  void nameTagged(int peersStag, long offset, long length) {
    tagged = true;
    stag = peersStag;
    to = offset;
    octets = length;
  }

  void nameUntagged(int queue, int number) {
    untagged = true;
    qn = queue;
    msn = number;
  }

  /** Whether it has octets for a place in a buffer of the peer, or begins there. */
  boolean isFor(int peersStag, long at) {
    return tagged && stag == peersStag && (at == to || Long.compareUnsigned(at - to, octets) < 0);
  }

  /** Whether it has, or ends with, the message with a number on a queue. */
  boolean isUntagged(int queue, int number) {
    return untagged && qn == queue && msn == number;
  }

  /** Transfers the numbers. */
  void transferName(Snapshot snapshot) {
    snapshot.begin(MessageName.class);
    tagged = snapshot.flag("tagged", tagged);
    stag = snapshot.number("stag", stag);
    to = snapshot.number("to", to);
    octets = snapshot.number("octets", octets);
    untagged = snapshot.flag("untagged", untagged);
    qn = snapshot.number("qn", qn);
    msn = snapshot.number("msn", msn);
    snapshot.end();
  }
}
