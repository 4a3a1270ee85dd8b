package org.rddp.simulation.rdma;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.rddp.ddp.memory.DdpScatterList;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapStream;
import org.rddp.rdmap.RequestFlags;
import org.rddp.simulation.memory.AtomicOperation;
import org.rddp.simulation.memory.ExpectedOctets;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.KnownOctets;
import org.rddp.simulation.memory.Layout;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.MemoryRanges;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.ReadOctets;
import org.rddp.simulation.memory.SourceOctets;

/**
 * Posts the requests of one end, and tells the models of both memories what they ask for. Each
 * returns whether the request was posted.
 */
final class Posts {
  private static final int MANY = 1 << 20;

  private final StreamEndpoint end;
  private final SourceOctets octets;
  private final SplittableRandom random;
  private final MemoryModel memory;
  private final MemoryRanges outbox;
  private final MemoryRanges sink;
  private final StreamRequest posted = new StreamRequest();
  private long number;
  private long fence = -1;
  private int first;

  Posts(StreamEndpoint end, Layout layout, SourceOctets octets, SplittableRandom random) {
    this.end = end;
    this.octets = octets;
    this.random = random;
    memory = end.memory();
    outbox = places(layout.outbox());
    sink = places(layout.sink());
  }

  private MemoryRanges places(Piece part) {
    return new MemoryRanges(random, part.from(), part.from() + part.length());
  }

  private RdmapStream stream() {
    return end.stream();
  }

  /** The most octets that a read may bring. */
  int mostRead() {
    return sink.longest();
  }

  /**
   * Writes.
   *
   * @param reach what of it may be placed, or null
   * @param immediate whether immediate data follows
   * @param fault what is wrong with it, or null
   */
  boolean write(
      int stag, long to, int length, Reach reach, int flags, boolean immediate, Fault fault) {
    SimulatedRdmapRequest request =
        new SimulatedRdmapRequest(random.nextLong(), CompletionKind.WRITE, length, number);
    request.wrong(fault);
    boolean scattered = !immediate && length > 1 && random.nextInt(6) == 0;
    begin(request, flags).remote(stag, to);
    source(request, length, scattered);
    long data = random.nextLong();
    posted.immediate(data);
    BooleanSupplier post =
        immediate ? () -> stream().postWriteImmediate(posted) : () -> stream().postWrite(posted);
    if (!post(request, flags, post)) {
      return false;
    }
    count(immediate ? RdmapEvent.WRITES_IMMEDIATE : RdmapEvent.WRITES, length);
    say("writes", request, reach == null ? -1 : reach.at(), length, flags);
    if (reach != null) {
      expect(request, reach);
    }
    if (immediate) {
      addImmediate(request, data, flags);
    }
    return true;
  }

  private void expect(SimulatedRdmapRequest request, Reach reach) {
    int from = first + reach.skipped();
    KnownOctets written = new KnownOctets(octets.array(), from);
    ExpectedPlacement target =
        ExpectedPlacement.ofWrite(
            reach.at(), reach.octets(), written, request.number(), reach.tag());
    request.writes(target);
    end.peer().memory().expect(target, octets.array(), from, fence);
  }

  private void addImmediate(SimulatedRdmapRequest request, long data, int flags) {
    byte[] message = new byte[Long.BYTES];
    for (int i = 0; i < Long.BYTES; i++) {
      message[i] = (byte) (data >>> ((Long.BYTES - 1 - i) * Byte.SIZE));
    }
    end.out()
        .add(new Message(request.number(), message, 0, Long.BYTES, true, solicited(flags), null));
  }

  private static boolean solicited(int flags) {
    return (flags & RequestFlags.SOLICITED) != 0;
  }

  /** Sends immediate data. */
  boolean immediate(int flags) {
    SimulatedRdmapRequest request =
        new SimulatedRdmapRequest(random.nextLong(), CompletionKind.SEND, Long.BYTES, number);
    long data = random.nextLong();
    begin(request, flags).immediate(data);
    if (!post(request, flags, () -> stream().postImmediate(posted))) {
      return false;
    }
    count(RdmapEvent.IMMEDIATE, Long.BYTES);
    addImmediate(request, data, flags);
    return true;
  }

  /**
   * Sends.
   *
   * @param invalidates what of the peer's the message invalidates, or null
   * @param stag its name, or that of something else, or 0
   */
  boolean send(int length, int flags, ModelStag invalidates, int stag, Fault fault) {
    SimulatedRdmapRequest request =
        new SimulatedRdmapRequest(random.nextLong(), CompletionKind.SEND, length, number);
    request.wrong(fault);
    boolean scattered = length > 1 && random.nextInt(6) == 0;
    begin(request, flags).remote(stag, 0);
    source(request, length, scattered);
    if (!post(request, flags, () -> stream().postSend(posted))) {
      return false;
    }
    count(RdmapEvent.SENDS, length);
    say("sends", request, -1, length, flags);
    boolean solicited = solicited(flags);
    if (solicited) {
      end.counts().add(RdmapEvent.SOLICITED);
    }
    end.out()
        .add(
            new Message(
                request.number(), octets.array(), first, length, false, solicited, invalidates));
    return true;
  }

  /**
   * Reads.
   *
   * @param tag of the peer's, or null if no answer is to come
   * @param at where in the peer's memory
   * @param refused whether it is to name memory of its own that is not there
   */
  boolean read(
      int stag,
      long to,
      ModelStag tag,
      int at,
      int length,
      int flags,
      boolean refused,
      Fault fault) {
    int into = sink.allocate(length);
    if (into < 0) {
      return false;
    }
    SimulatedRdmapRequest request =
        new SimulatedRdmapRequest(random.nextLong(), CompletionKind.READ, length, number);
    request.wrong(fault);
    if (refused) {
      request.refuseHere();
    }
    ModelStag own = end.sinkTag();
    // What has no octets names nothing.
    int name = refused ? end.tags().noName() : own.stag();
    begin(request, flags).local(name, own.to(into), length).remote(stag, to);
    if (!post(request, flags, () -> stream().postRead(posted))) {
      sink.free(into);
      return false;
    }
    count(RdmapEvent.READS, length);
    ReadOctets coming =
        tag == null || refused ? null : end.peer().memory().read(at, length, request.number(), tag);
    request.reads(coming);
    say("reads", request, at, length, flags);
    ExpectedPlacement answer =
        ExpectedPlacement.own(into, length, coming == null ? new Nothing() : coming, 0);
    request.answers().add(answer);
    memory.expect(answer);
    return true;
  }

  /** Nothing comes. */
  private static final class Nothing implements ExpectedOctets {
    @Override
    public int agree(long address, int from, int most) {
      return 0;
    }
  }

  /**
   * Does an atomic.
   *
   * @param tag of the peer's, or null if no answer is to come
   * @param at where in the peer's memory
   */
  boolean atomic(
      int stag, long to, ModelStag tag, int at, AtomicOperation does, int flags, Fault fault) {
    int into = sink.allocate(Long.BYTES);
    if (into < 0) {
      return false;
    }
    SimulatedRdmapRequest request =
        new SimulatedRdmapRequest(random.nextLong(), CompletionKind.ATOMIC, Long.BYTES, number);
    request.wrong(fault);
    begin(request, flags).memory(memory.address(into), Long.BYTES).remote(stag, to);
    if (!post(request, flags, () -> post(does))) {
      sink.free(into);
      return false;
    }
    count(RdmapEvent.ATOMICS, Long.BYTES);
    say("does an atomic", request, at, Long.BYTES, flags);
    ExpectedOctets coming = new Nothing();
    if (tag != null) {
      byte[] before = end.peer().memory().posted(at, Long.BYTES);
      byte[] after = does.apply(before);
      KnownOctets left = new KnownOctets(after, 0);
      ExpectedPlacement target = ExpectedPlacement.ofAtomic(at, left, request.number(), tag);
      request.writes(target);
      end.peer().memory().expect(target, after, 0, fence);
      coming = new KnownOctets(before, 0);
    }
    ExpectedPlacement answer = ExpectedPlacement.own(into, Long.BYTES, coming, 0);
    request.answers().add(answer);
    memory.expect(answer);
    return true;
  }

  private boolean post(AtomicOperation does) {
    long data = does.data();
    long mask = does.mask();
    return switch (does.kind()) {
      case FETCH_ADD -> stream().postFetchAdd(posted.operands(data, mask, 0, -1));
      case SWAP -> stream().postCompareSwap(posted.operands(data, mask, 0, 0));
      case COMPARE_SWAP ->
          stream().postCompareSwap(posted.operands(data, mask, does.compare(), does.compareMask()));
    };
  }

  private StreamRequest begin(SimulatedRdmapRequest request, int flags) {
    return posted.begin(request.id()).flags(flags);
  }

  private void say(String what, SimulatedRdmapRequest request, int at, int length, int flags) {
    if (end.world().isTraced()) {
      String where = at < 0 ? "" : " at " + at;
      String how = (flags & RequestFlags.FENCED) == 0 ? "" : ", fenced";
      end.world()
          .trace(
              String.format(
                  "%s %s, request %d, %d octets%s%s",
                  end.name(), what, request.number(), length, where, how));
    }
  }

  private void count(RdmapEvent happening, int length) {
    end.counts().add(happening);
    if (length == 0) {
      end.counts().add(RdmapEvent.EMPTY);
    } else if (length >= MANY) {
      end.counts().add(RdmapEvent.LARGE);
    }
  }

  /** Posts, and takes note of a fence if that was right. */
  private boolean post(SimulatedRdmapRequest request, int flags, BooleanSupplier post) {
    if (!end.outstanding().post(request, post)) {
      giveBack(request);
      return false;
    }
    number++;
    if (request.fault() != null) {
      end.errors().posted(request);
    }
    // What was refused here never comes into the queue that fences stand in.
    if ((flags & RequestFlags.FENCED) != 0 && !request.refusedHere()) {
      fence = request.number();
      end.counts().add(RdmapEvent.FENCED);
    }
    return true;
  }

  /** Has so many octets somewhere, from where they are to be sent. */
  private void source(SimulatedRdmapRequest request, int length, boolean scattered) {
    first = octets.draw(random, length);
    if (!scattered) {
      posted.memory(place(request, first, length), length);
      return;
    }
    end.counts().add(RdmapEvent.SCATTERED);
    int done = 0;
    int pieces = 2 + random.nextInt(DdpScatterList.MOST - 1);
    for (int i = 1; i <= pieces; i++) {
      int part = i == pieces ? length - done : random.nextInt(length - done + 1);
      posted.memory(place(request, first + done, part), part);
      done += part;
    }
  }

  /** In the outbox, which is overwritten afterwards, or where all lives send from. */
  private long place(SimulatedRdmapRequest request, int from, int length) {
    int at = length == 0 || random.nextInt(4) == 0 ? -1 : outbox.allocate(length);
    if (at < 0) {
      return octets.address(from);
    }
    memory.write(at, octets.array(), from, length);
    request.sources().add(new Piece(at, length));
    return memory.address(at);
  }

  /** The request has ended: its memory is the program's again, and is used for something else. */
  void giveBack(SimulatedRdmapRequest request) {
    for (Piece piece : request.sources()) {
      scribble(piece.from(), piece.length());
      outbox.free(piece.from());
    }
    for (ExpectedPlacement answer : request.answers()) {
      scribble(answer.from(), answer.end() - answer.from());
      sink.free(answer.from());
    }
  }

  private void scribble(int from, int length) {
    memory.write(from, octets.array(), octets.draw(random, length), length);
  }

  /** Overwrites everything in a range. */
  void overwrite(int from, int length) {
    scribble(from, length);
  }

  /** Posts a receive into pieces of memory. */
  boolean receive(long id, List<Piece> pieces) {
    posted.begin(id);
    for (Piece piece : pieces) {
      posted.memory(memory.address(piece.from()), piece.length());
    }
    if (pieces.size() > 1) {
      end.counts().add(RdmapEvent.SCATTERED_RECEIVES);
    }
    return stream().postReceive(posted);
  }
}
