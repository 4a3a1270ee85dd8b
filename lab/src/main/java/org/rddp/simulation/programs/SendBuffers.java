package org.rddp.simulation.programs;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.MemoryRanges;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.SourceOctets;

/**
 * Memory that one end's messages are sent from: one piece, several pieces, or the request itself. A
 * piece is overwritten as soon as its request has ended.
 */
final class SendBuffers {
  private final ProgramEndpoint end;
  private final SplittableRandom random;
  private final SourceOctets octets;
  private final MemoryModel memory;
  private final MemoryRanges places;
  private final StagPieces list = new StagPieces();
  private int first;

  SendBuffers(ProgramEndpoint end) {
    this.end = end;
    random = end.random();
    octets = end.octets();
    memory = end.memory();
    Piece box = end.layout().outbox();
    places = new MemoryRanges(random, box.from(), box.from() + box.length());
  }

  /** The longest message. */
  int most() {
    return places.longest();
  }

  /** The array with the octets of the last posted message. */
  byte[] array() {
    return octets.array();
  }

  /** Index of the first of them. */
  int first() {
    return first;
  }

  /**
   * Posts a request with a message.
   *
   * @return false if there is no memory or no slot in the ring
   */
  boolean post(
      PostedRequest request,
      int flags,
      int length,
      int remoteStag,
      int qn,
      long remoteTo,
      long immediate) {
    first = octets.draw(random, length);
    boolean inline = length <= WorkRequest.MAX_INLINE && random.nextInt(3) == 0;
    boolean posted =
        inline
            ? postInline(request, flags, length, remoteStag, qn, remoteTo, immediate)
            : postPlaced(request, flags, length, remoteStag, qn, remoteTo, immediate);
    return end.program().posted(posted);
  }

  private boolean postInline(
      PostedRequest request, int flags, int length, int stag, int qn, long to, long immediate) {
    MemorySegment from = MemorySegment.ofArray(octets.array());
    SubmissionEntry entry = end.program().rings().claim(WorkRequest.slotsForInline(length));
    boolean posted =
        entry != null
            && entry
                .begin(request.opcode(), flags, request.id(), end.connection())
                .inline(from, first, length)
                .remote(stag, to)
                .queue(qn)
                .immediate(immediate)
                .submit();
    if (posted) {
      end.count(ProgramEvent.INLINE);
    }
    return posted;
  }

  private boolean postPlaced(
      PostedRequest request, int flags, int length, int stag, int qn, long to, long immediate) {
    int at = places.allocate(length);
    if (at < 0) {
      return false;
    }
    memory.write(at, octets.array(), first, length);
    request.sources().add(new Piece(at, length));
    boolean scattered = length > 1 && random.nextInt(5) == 0;
    int local = end.stags().localStag();
    int base = end.layout().own().from();
    list.clear();
    if (scattered) {
      cut(at - base, length, local);
    } else {
      list.add(local, at - base, length);
    }
    SubmissionEntry entry = end.program().rings().claim(list.slots());
    boolean posted =
        entry != null
            && entry
                .begin(request.opcode(), flags, request.id(), end.connection())
                .memory(list)
                .remote(stag, to)
                .queue(qn)
                .immediate(immediate)
                .submit();
    if (!posted) {
      giveBack(request);
    } else if (scattered) {
      end.count(ProgramEvent.SCATTERED);
    }
    return posted;
  }

  private void cut(int from, int length, int stag) {
    int pieces = 2 + random.nextInt(StagPieces.MOST - 1);
    int done = 0;
    for (int i = 1; i <= pieces; i++) {
      int part = i == pieces ? length - done : random.nextInt(length - done + 1);
      list.add(stag, from + done, part);
      done += part;
    }
  }

  /** A request has ended: its memory is overwritten. */
  void giveBack(PostedRequest request) {
    for (Piece piece : request.sources()) {
      memory.write(
          piece.from(), octets.array(), octets.draw(random, piece.length()), piece.length());
      places.free(piece.from());
    }
    request.sources().clear();
  }
}
