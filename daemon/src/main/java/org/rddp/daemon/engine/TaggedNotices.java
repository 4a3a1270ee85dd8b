package org.rddp.daemon.engine;

/**
 * The posted notices of Tagged Messages of a plain DDP connection, in the order of their posts.
 * Engine thread only.
 */
final class TaggedNotices {
  private final int[] requests;
  private int head;
  private int size;

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
    int place = head + size;
    requests[place < requests.length ? place : place - requests.length] = request;
    size++;
    return true;
  }

  /** Removes the first notice; the queue must not be empty. */
  int take() {
    int taken = requests[head];
    head = head + 1 < requests.length ? head + 1 : 0;
    size--;
    return taken;
  }
}
