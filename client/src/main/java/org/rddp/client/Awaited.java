package org.rddp.client;

import org.rddp.client.types.Opcode;

/** A request whose completion a blocking call awaits, by its place in its queue. */
final class Awaited {
  private final Connection connection;
  private final boolean receive;
  private final long place;
  private Completion completion;

  Awaited(Connection connection, boolean receive, long place) {
    this.connection = connection;
    this.receive = receive;
    this.place = place;
  }

  boolean is(Completion other) {
    return other.place() == place
        && other.connection() == connection
        && (other.opcode() == Opcode.RECEIVE) == receive;
  }

  /** Its completion; null while it has none. */
  Completion completion() {
    return completion;
  }

  void completed(Completion end) {
    completion = end;
  }
}
