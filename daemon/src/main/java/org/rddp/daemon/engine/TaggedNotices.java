package org.rddp.daemon.engine;

/**
 * The requests of a program that wait to tell it of Tagged Messages, in the order in which they
 * were posted. Engine thread only.
 */
final class TaggedNotices {
  private final int[] requests;
  private int head;
  private int size;

  /** No notices; at most {@code depth}, 0 or more, at a time. */
  TaggedNotices(int depth) {
    requests = new int[depth];
  }

  /** Whether the program wants to hear of Tagged Messages at all. */
  boolean areEnabled() {
    return requests.length > 0;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Appends a request; false if there are as many as there may be. */
  boolean post(int request) {
    if (size == requests.length) {
      return false;
    }
    int place = head + size;
    requests[place < requests.length ? place : place - requests.length] = request;
    size++;
    return true;
  }

  /** Removes the first request; there is one. */
  int take() {
    int taken = requests[head];
    head = head + 1 < requests.length ? head + 1 : 0;
    size--;
    return taken;
  }
}
