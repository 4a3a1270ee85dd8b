package org.rddp.simulation.programs;

import java.util.ArrayList;
import java.util.List;
import org.rddp.simulation.memory.ExpectedOctets;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.KnownOctets;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.Piece;

/**
 * A posted receive. Anything may be placed in its memory until it ends. Then the message must be
 * there in full, and the octets behind it must be unchanged.
 */
final class PostedReceive {
  private static final ExpectedOctets ANYTHING = (address, from, most) -> most;

  private final long id;
  private final long number;
  private final List<Piece> pieces;
  private final MemoryModel memory;
  private final List<byte[]> before = new ArrayList<>();
  private final List<ExpectedPlacement> open = new ArrayList<>();
  private final int length;

  /**
   * A receive that is about to be posted.
   *
   * @param number ascending in the order of the posts to a queue
   */
  PostedReceive(long id, long number, List<Piece> pieces, MemoryModel memory) {
    this.id = id;
    this.number = number;
    this.pieces = pieces;
    this.memory = memory;
    int all = 0;
    for (Piece piece : pieces) {
      all += piece.length();
      before.add(memory.posted(piece.from(), piece.length()));
      ExpectedPlacement target = ExpectedPlacement.own(piece.from(), piece.length(), ANYTHING, 0);
      open.add(target);
      memory.expect(target);
    }
    length = all;
  }

  long id() {
    return id;
  }

  long number() {
    return number;
  }

  List<Piece> pieces() {
    return pieces;
  }

  /** Octets of all pieces. */
  int length() {
    return length;
  }

  /** Nothing more is placed there. */
  void end() {
    memory.end(open);
  }

  /** A message has been received: it must be there, and nothing else may have changed. */
  void filled(ExpectedMessage message) {
    List<ExpectedPlacement> known = new ArrayList<>();
    int done = 0;
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      int part = Math.min(piece.length(), message.placed() - done);
      if (part > 0) {
        KnownOctets octets = new KnownOctets(message.array(), message.first() + done);
        known.add(ExpectedPlacement.own(piece.from(), part, octets, 0));
        done += part;
      }
      int rest = piece.length() - part;
      if (rest > 0) {
        KnownOctets octets = new KnownOctets(before.get(i), part);
        known.add(ExpectedPlacement.own(piece.from() + part, rest, octets, 0));
      }
    }
    memory.done(known, "it is a message that was received");
    end();
  }
}
