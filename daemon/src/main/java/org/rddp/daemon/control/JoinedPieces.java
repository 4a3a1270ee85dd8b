package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.control.MemoryPiece;
import org.rddp.ipc.linux.JoinedMemory;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;

/**
 * A program's regions of several pieces. Each piece is a mapping of the daemon and counts as a
 * memory; the page tables count as octets of memory. Control thread only.
 */
final class JoinedPieces {
  /**
   * Pieces that are mapped side by side.
   *
   * @param pieces pinned: they cannot be freed
   */
  record Joined(JoinedMapping mapping, List<MemoryPiece> pieces) {
    Memories.Range range() {
      return new Memories.Range(
          mapping.address(), pieces.stream().mapToLong(MemoryPiece::octets).sum());
    }
  }

  /** Pages whose addresses one page of a page table holds. */
  private static final int PAGES_OF_TABLE = 512;

  private final ProgramMemory memory;
  private final Quota octets;
  private final Quota memories;
  private final MappingThreads threads;
  private final Map<Integer, Joined> byStag = new HashMap<>();

  /** Joined pieces for which the engine is making an STag. */
  private final Set<Joined> beingRegistered = new HashSet<>();

  /** Mappings being made or removed. */
  private int busy;

  /** To run when none is busy; null before the end. */
  private Runnable atEnd;

  JoinedPieces(ProgramMemory memory, Quota octets, Quota memories, MappingThreads threads) {
    this.memory = memory;
    this.octets = octets;
    this.memories = memories;
    this.threads = threads;
  }

  /** Returns the octets of all pieces; refuses pieces that cannot be joined. */
  static long check(List<MemoryPiece> pieces) throws RequestRefusedException {
    if (pieces.isEmpty()) {
      throw new RequestRefusedException(Reason.INVALID, "a region of no pieces");
    }
    long octets = 0;
    for (int i = 0; i < pieces.size(); i++) {
      MemoryPiece piece = pieces.get(i);
      boolean begins = i == 0 || piece.offset() % JoinedMemory.PAGE == 0;
      boolean ends =
          i == pieces.size() - 1 || (piece.offset() + piece.octets()) % JoinedMemory.PAGE == 0;
      if (!begins || !ends) {
        throw new RequestRefusedException(
            Reason.INVALID,
            "piece %d of %d, octets %d to %d of its memory, does not %s with a page of %d octets"
                .formatted(
                    i + 1,
                    pieces.size(),
                    piece.offset(),
                    piece.offset() + piece.octets(),
                    begins ? "end" : "begin",
                    JoinedMemory.PAGE));
      }
      octets += piece.octets();
    }
    return octets;
  }

  /**
   * Pins and maps pieces.
   *
   * @param outcome called with the result, to be passed to {@link #registered}, or with the
   *     refusal; the other is null. Not called if the session ends before
   */
  void join(List<MemoryPiece> pieces, BiConsumer<Joined, RequestRefusedException> outcome)
      throws RequestRefusedException {
    List<JoinedMemory.Part> parts = pin(pieces);
    try {
      take(pieces);
    } catch (RequestRefusedException e) {
      unpin(pieces);
      throw e;
    }
    busy++;
    JoinedMapping.join(parts, threads, (made, refusal) -> joined(pieces, made, refusal, outcome));
  }

  private List<JoinedMemory.Part> pin(List<MemoryPiece> pieces) throws RequestRefusedException {
    List<JoinedMemory.Part> parts = new ArrayList<>();
    try {
      for (MemoryPiece piece : pieces) {
        long address = memory.resolve(piece.memory(), piece.offset(), piece.octets());
        parts.add(new JoinedMemory.Part(address, piece.octets()));
      }
    } catch (RequestRefusedException e) {
      unpin(pieces.subList(0, parts.size()));
      throw e;
    }
    return parts;
  }

  private void joined(
      List<MemoryPiece> pieces,
      JoinedMapping made,
      RequestRefusedException refusal,
      BiConsumer<Joined, RequestRefusedException> outcome) {
    if (made == null) {
      unpin(pieces);
      give(pieces);
      if (atEnd == null) {
        outcome.accept(null, refusal);
      }
    } else if (atEnd != null) {
      release(new Joined(made, pieces));
    } else {
      Joined joined = new Joined(made, pieces);
      beingRegistered.add(joined);
      outcome.accept(joined, null);
    }
    endBusy();
  }

  /** Records the STag of joined pieces; 0 if registration failed. */
  void registered(int stag, Joined joined) {
    if (!beingRegistered.remove(joined)) {
      return; // the session has ended in the meantime
    }
    if (stag == 0) {
      release(joined);
    } else {
      byStag.put(stag, joined);
    }
  }

  /** Unmaps the pieces of an STag, if it has several. */
  void deregistered(int stag) {
    Joined joined = byStag.remove(stag);
    if (joined != null) {
      release(joined);
    }
  }

  private void release(Joined joined) {
    unpin(joined.pieces); // the mapping no longer needs them
    busy++;
    joined.mapping.release(() -> {
      give(joined.pieces);
      endBusy();
    });
  }

  private void unpin(List<MemoryPiece> pieces) {
    for (MemoryPiece piece : pieces) {
      memory.registered(0, piece.memory(), piece.offset(), piece.octets());
    }
  }

  private void take(List<MemoryPiece> pieces) throws RequestRefusedException {
    memories.take(pieces.size());
    try {
      octets.take(tables(pieces));
    } catch (RequestRefusedException e) {
      memories.give(pieces.size());
      throw e;
    }
  }

  private void give(List<MemoryPiece> pieces) {
    memories.give(pieces.size());
    octets.give(tables(pieces));
  }

  /** Octets of the page tables. */
  private static long tables(List<MemoryPiece> pieces) {
    long all = 0;
    for (MemoryPiece piece : pieces) {
      all += piece.octets() / PAGES_OF_TABLE + JoinedMemory.PAGE;
    }
    return all;
  }

  private void endBusy() {
    busy--;
    if (busy == 0 && atEnd != null) {
      atEnd.run();
    }
  }

  // ---- Another daemon goes on with them ----

  /** The mappings, in the order of their STags. */
  List<Memories.Range> ranges() {
    return sorted().map(byStag::get).map(Joined::range).toList();
  }

  private Stream<Integer> sorted() {
    return byStag.keySet().stream().sorted();
  }

  /**
   * Transfers the regions; when read, the memories of their pieces have been, and there are none.
   * While no request of the program is in work.
   */
  void transfer(Snapshot snapshot) {
    snapshot.begin(JoinedPieces.class);
    Iterator<Integer> written = sorted().toList().iterator();
    while (snapshot.flag("byStag", written.hasNext())) {
      int stag = snapshot.number("stag", snapshot.reads() ? 0 : written.next());
      List<MemoryPiece> pieces = transferPieces(snapshot, byStag.get(stag));
      if (snapshot.reads()) {
        byStag.put(stag, inherit(snapshot, pieces));
      }
    }
    snapshot.end();
  }

  private static List<MemoryPiece> transferPieces(Snapshot snapshot, Joined written) {
    Iterator<MemoryPiece> left =
        written == null ? Collections.emptyIterator() : written.pieces.iterator();
    List<MemoryPiece> pieces = new ArrayList<>();
    while (snapshot.flag("pieces", left.hasNext())) {
      MemoryPiece next = left.hasNext() ? left.next() : null;
      pieces.add(snapshot.record("piece", MemoryPiece.class, next));
    }
    return pieces;
  }

  private Joined inherit(Snapshot snapshot, List<MemoryPiece> pieces) {
    memories.add(pieces.size());
    octets.add(tables(pieces));
    try {
      check(pieces);
      return new Joined(JoinedMapping.inherit(pin(pieces), threads), pieces);
    } catch (RequestRefusedException e) {
      throw snapshot.wrong("a region of several pieces: " + e.getMessage());
    }
  }

  /**
   * Unmaps everything. Call it after the engine has ended the session, and before the memories are
   * freed.
   *
   * @param done called when everything is unmapped
   */
  void close(Runnable done) {
    busy++;
    atEnd = done;
    byStag.values().forEach(this::release);
    byStag.clear();
    beingRegistered.forEach(this::release);
    beingRegistered.clear();
    endBusy();
  }
}
