package org.rddp.daemon.engine;

import org.rddp.ipc.linux.PairedSocket;
import org.rddp.snapshot.Snapshot;

/**
 * Moves the octets of a stream between its rings and a socket, which any process can use without
 * the rings: after an exec, or in another process. Engine thread only.
 */
final class StreamBridge {
  /** Octets that are moved in a turn, in each direction. */
  private static final int MOST = 1 << 16;

  private final PairedSocket socket;
  private final StreamSender sender;
  private final StreamReceiver receiver;

  /** Whether holders have ended what they send. */
  private boolean inputEnded;

  private boolean outputEnded;

  /** Whether nobody holds the other end. */
  private boolean left;

  StreamBridge(PairedSocket socket, StreamSender sender, StreamReceiver receiver) {
    this.socket = socket;
    this.sender = sender;
    this.receiver = receiver;
    if (sender.isEnding()) {
      inputEnded = true;
      socket.closeReceiving();
    }
  }

  PairedSocket socket() {
    return socket;
  }

  /** Nobody holds the other end any more. */
  void leave() {
    left = true;
  }

  /**
   * Whether nobody takes what still comes from the peer. The rest of what holders have sent may be
   * in the socket.
   */
  boolean isAbandoned() {
    return left && (inputEnded || !outputEnded);
  }

  /** Whether holders have all that has come, or there are none. */
  boolean isDone() {
    return left || outputEnded;
  }

  /**
   * Moves what can be moved, within a bound.
   *
   * @return whether there is more
   */
  boolean move() {
    boolean more = moveOut();
    return moveIn() || more;
  }

  /** Transfers it; its socket is the same. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StreamBridge.class);
    inputEnded = snapshot.flag("inputEnded", inputEnded);
    outputEnded = snapshot.flag("outputEnded", outputEnded);
    left = snapshot.flag("left", left);
    snapshot.end();
  }

  private boolean moveOut() {
    int moved = 0;
    while (receiver.unread() > 0 && moved < MOST) {
      long octets =
          socket.send(receiver.nextAddress(), Math.min(receiver.unreadInRow(), MOST - moved));
      if (octets <= 0) {
        return false;
      }
      receiver.consume(octets);
      moved += (int) octets;
    }
    if (receiver.unread() == 0 && receiver.hasEnded() && !outputEnded) {
      outputEnded = true;
      socket.closeSending();
    }
    return receiver.unread() > 0;
  }

  private boolean moveIn() {
    int moved = 0;
    while (!inputEnded && sender.room() > 0 && moved < MOST) {
      long octets =
          socket.receive(sender.nextAddress(), Math.min(sender.roomInRow(), MOST - moved));
      if (octets < 0) {
        return false;
      }
      if (octets == 0) {
        inputEnded = true;
        sender.end();
        return false;
      }
      sender.add((int) octets);
      moved += (int) octets;
    }
    return !inputEnded && sender.room() > 0;
  }
}
