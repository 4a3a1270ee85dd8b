package org.rddp.simulation.programs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.MemoryRanges;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.SourceOctets;

/** The receives of one queue in the order in which they were posted, and their memory. */
final class PostedReceives {
  private static final int PIECES = 4;

  private final SplittableRandom random;
  private final SourceOctets octets;
  private final MemoryModel memory;
  private final MemoryRanges places;
  private final Deque<PostedReceive> posted = new ArrayDeque<>();
  private final StagPieces list = new StagPieces();
  private long number;

  /** A queue without receives, for which a part of a memory is set aside. */
  PostedReceives(SplittableRandom random, SourceOctets octets, MemoryModel memory, Piece box) {
    this.random = random;
    this.octets = octets;
    this.memory = memory;
    places = new MemoryRanges(random, box.from(), box.from() + box.length());
  }

  /** Posts a receive into pieces of memory. */
  interface Post {
    boolean post(PostedReceive receive, StagPieces list);
  }

  /**
   * Posts a receive.
   *
   * @param stag of the region that the memory is in
   * @param base where that region begins in the memory
   * @return false if there is no memory or no slot in the ring
   */
  boolean post(int length, int stag, int base, Post post, ProgramEventCounts counts) {
    int from = places.allocate(length);
    if (from < 0) {
      return false;
    }
    PostedReceive receive =
        new PostedReceive(random.nextLong(), number, pieces(from, length), memory);
    list.clear();
    receive.pieces().forEach(one -> list.add(stag, one.from() - base, one.length()));
    if (list.count() > 1) {
      counts.add(ProgramEvent.SCATTERED_RECEIVES);
    }
    if (!post.post(receive, list)) {
      receive.end();
      places.free(from);
      return false;
    }
    number++;
    posted.add(receive);
    return true;
  }

  private List<Piece> pieces(int from, int length) {
    if (length < PIECES || random.nextInt(6) > 0) {
      return List.of(new Piece(from, length));
    }
    List<Piece> pieces = new ArrayList<>();
    int part = length / PIECES;
    for (int i = 0; i < PIECES; i++) {
      int at = i * part;
      pieces.add(new Piece(from + at, i == PIECES - 1 ? length - at : part));
    }
    Collections.reverse(pieces);
    return pieces;
  }

  int size() {
    return posted.size();
  }

  /** The longest that may be posted. */
  int most() {
    return places.longest();
  }

  /** The receive posted {@code count} behind the first that has not ended; or null. */
  PostedReceive behind(int count) {
    return posted.stream().skip(count).findFirst().orElse(null);
  }

  /** The first, which has ended; null if there is none. */
  PostedReceive first() {
    return posted.peek();
  }

  /** The one of that id, or null. */
  PostedReceive find(long id) {
    return posted.stream().filter(one -> one.id() == id).findFirst().orElse(null);
  }

  /** A receive has ended: its memory is overwritten. */
  void giveBack(PostedReceive receive) {
    posted.remove(receive);
    receive.end();
    for (Piece piece : receive.pieces()) {
      memory.write(
          piece.from(), octets.array(), octets.draw(random, piece.length()), piece.length());
    }
    places.free(receive.pieces().stream().mapToInt(Piece::from).min().orElseThrow());
  }
}
