package org.rddp.tcp;

import java.util.Arrays;

/**
 * The connections that wait for a time, as a binary heap by deadline.
 *
 * <p>A connection's place in the heap is no later than its deadline but may be earlier: putting a
 * deadline off, as every acknowledgment does, costs nothing until the old time comes. So a busy
 * connection moves in the heap once per retransmission timeout, not once per segment.
 */
final class Timers {
  private TcpConnection[] heap = new TcpConnection[16];
  private int size;

  /** Makes sure that the connection is looked at by its deadline. */
  void schedule(TcpConnection connection, long deadline) {
    if (connection.timerIndex < 0) {
      if (deadline == Long.MAX_VALUE) {
        return;
      }
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, size * 2);
      }
      connection.timerAt = deadline;
      up(size++, connection);
    } else if (deadline < connection.timerAt) {
      connection.timerAt = deadline;
      up(connection.timerIndex, connection);
    }
  }

  /** The earliest time at which something may be due. */
  long nextDeadline() {
    return size == 0 ? Long.MAX_VALUE : heap[0].timerAt;
  }

  /** A connection whose time has come, taken out of the heap; null if there is none. */
  TcpConnection poll(long now) {
    if (size == 0 || heap[0].timerAt > now) {
      return null;
    }
    TcpConnection first = heap[0];
    remove(first);
    return first;
  }

  void remove(TcpConnection connection) {
    int index = connection.timerIndex;
    if (index < 0) {
      return;
    }
    connection.timerIndex = -1;
    TcpConnection moved = heap[--size];
    heap[size] = null;
    if (moved != connection) {
      down(index, moved);
      up(moved.timerIndex, moved);
    }
  }

  private void up(int index, TcpConnection connection) {
    int at = index;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (heap[parent].timerAt <= connection.timerAt) {
        break;
      }
      set(at, heap[parent]);
      at = parent;
    }
    set(at, connection);
  }

  private void down(int index, TcpConnection connection) {
    int at = index;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && heap[child + 1].timerAt < heap[child].timerAt) {
        child++;
      }
      if (heap[child].timerAt >= connection.timerAt) {
        break;
      }
      set(at, heap[child]);
      at = child;
    }
    set(at, connection);
  }

  private void set(int index, TcpConnection connection) {
    heap[index] = connection;
    connection.timerIndex = index;
  }
}
