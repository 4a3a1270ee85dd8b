package org.rddp.daemon.engine;

import org.rddp.ddp.receiving.RefusedReceives;
import org.rddp.snapshot.Snapshot;

/**
 * The posted notices of Tagged Messages of a plain DDP connection, in the order of their posts.
 * Engine thread only.
 */
final class TaggedNotices {
  private final int[] requests;
  private final RefusedReceives refused = new RefusedReceives();
  private int head;
  private int size;

  /** Notices that have been taken; may overflow. */
  private int taken;

  /** Creates an empty queue of at most {@code depth}, 0 or more, notices. */
  TaggedNotices(int depth) {
    requests = new int[depth];
  }

  /** Whether the connection has notices at all. */
  boolean areEnabled() {
    return requests.length > 0;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Appends a notice; false if the queue is full. */
  boolean post(int request) {
    if (size == requests.length) {
      return false;
    }
    requests[place(size)] = request;
    size++;
    return true;
  }

  /** Where the notice is before which there are so many. */
  private int place(int before) {
    int place = head + before;
    return place < requests.length ? place : place - requests.length;
  }

  /** Puts a refused notice behind those posted. */
  void refuse(long request, int status) {
    refused.add(taken + size, request, status);
  }

  /** Removes a refused notice before which no other is left; null if there is none. */
  RefusedReceives.Refused takeRefused() {
    return refused.removeDue(taken);
  }

  /** Removes the first notice; the queue must not be empty. */
  int take() {
    int first = requests[head];
    head = head + 1 < requests.length ? head + 1 : 0;
    size--;
    taken++;
    return first;
  }

  /** Transfers the notices; when read, there are none before. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(TaggedNotices.class);
    size = snapshot.number("size", size, 0, requests.length);
    for (int i = 0; i < size; i++) {
      int place = place(i);
      requests[place] = snapshot.number("requests", requests[place]);
    }
    taken = snapshot.number("taken", taken);
    refused.transfer(snapshot);
    snapshot.end();
  }
}
