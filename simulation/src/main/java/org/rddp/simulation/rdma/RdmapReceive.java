package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.List;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.KnownOctets;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.Piece;

/** A posted receive, and the message that is for it as soon as the peer has posted that. */
final class RdmapReceive {
  private final long id;
  private final List<Piece> pieces;
  private final int length;
  private final List<ExpectedPlacement> targets = new ArrayList<>();
  private Message message;

  /** A receive into pieces of memory. */
  RdmapReceive(long id, List<Piece> pieces) {
    this.id = id;
    this.pieces = pieces;
    length = pieces.stream().mapToInt(Piece::length).sum();
  }

  long id() {
    return id;
  }

  List<Piece> pieces() {
    return pieces;
  }

  /** Octets of all pieces. */
  int length() {
    return length;
  }

  /** The message that is for it, or null while there is none. */
  Message message() {
    return message;
  }

  /** Where the message's octets go. */
  List<ExpectedPlacement> targets() {
    return targets;
  }

  /** The peer has posted the message: from now on it may come. */
  void expects(Message posted, MemoryModel memory) {
    message = posted;
    KnownOctets octets = new KnownOctets(posted.array(), posted.first());
    int done = 0;
    for (Piece piece : pieces) {
      int part = Math.min(piece.length(), posted.length() - done);
      if (part > 0) {
        ExpectedPlacement target = ExpectedPlacement.own(piece.from(), part, octets, done);
        targets.add(target);
        memory.expect(target);
        done += part;
      }
    }
  }
}
