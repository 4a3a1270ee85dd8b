package org.rddp.simulation.programs;

import java.util.SplittableRandom;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.simulation.memory.AtomicOperation;
import org.rddp.simulation.memory.ExpectedOctets;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.KnownOctets;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.MemoryRanges;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.ReadOctets;

/**
 * Posts the requests of an end that speaks RDMAP, and tells the models of both memories what they
 * ask for. Each method returns whether the request went to the ring.
 */
final class RdmapPosts {
  private static final ExpectedOctets NOTHING = (address, from, most) -> 0;

  private final RdmapEndpoint end;
  private final SplittableRandom random;
  private final MemoryModel memory;
  private final SendBuffers outbox;
  private final MemoryRanges sink;

  /** Number of the last fenced request, -1 before there is one. */
  private long fence = -1;

  RdmapPosts(RdmapEndpoint end) {
    this.end = end;
    random = end.random();
    memory = end.memory();
    outbox = new SendBuffers(end);
    Piece box = end.layout().sink();
    sink = new MemoryRanges(random, box.from(), box.from() + box.length());
  }

  /** Octets of the longest message. */
  int longest() {
    return outbox.most();
  }

  /** The most octets that a read may bring. */
  int longestRead() {
    return sink.longest();
  }

  private PostedRequest request(int opcode, int octets, Fault fault) {
    PostedRequest request = end.requests().draw(opcode, octets);
    request.wrong(fault);
    return request;
  }

  private static int ringFlags(PostedRequest request, int flags) {
    return flags | (request.signalled() ? SendFlags.SIGNALLED : 0);
  }

  private static boolean solicited(int flags) {
    return (flags & SendFlags.SOLICITED) != 0;
  }

  private static int unsolicited(int flags) {
    return flags & ~SendFlags.SOLICITED;
  }

  private void posted(PostedRequest request, int flags, ProgramEvent event) {
    end.requests().posted(request, event);
    if (request.fault() != null) {
      end.errors().posted(request);
    }
    if ((flags & SendFlags.FENCED) != 0) {
      fence = request.number();
      end.count(ProgramEvent.FENCED);
    }
  }

  /**
   * Writes.
   *
   * @param part that may be placed, or null
   * @param immediate whether immediate data follows
   * @param fault in it, or null
   */
  boolean write(
      int stag,
      long to,
      int length,
      PlaceablePart part,
      int flags,
      boolean immediate,
      Fault fault) {
    int opcode = immediate ? Opcode.WRITE_IMMEDIATE : Opcode.WRITE;
    PostedRequest request = request(opcode, length, fault);
    int how = immediate ? flags : unsolicited(flags);
    long data = immediate ? random.nextLong() : 0;
    if (!outbox.post(request, ringFlags(request, how), length, stag, 0, to, data)) {
      return false;
    }
    posted(request, how, immediate ? ProgramEvent.WRITES_IMMEDIATE : ProgramEvent.WRITES);
    if (part != null) {
      int from = outbox.first() + part.skipped();
      KnownOctets written = new KnownOctets(outbox.array(), from);
      ExpectedPlacement target =
          ExpectedPlacement.ofWrite(
              part.at(), part.octets(), written, request.number(), part.tag());
      request.writes(target);
      end.peer().memory().expect(target, outbox.array(), from, fence);
    }
    if (immediate) {
      message(ExpectedMessage.ofImmediate(request.number(), data, solicited(how)));
    }
    return true;
  }

  private void message(ExpectedMessage message) {
    if (message.solicited()) {
      end.count(ProgramEvent.SOLICITED);
    }
    end.peer().incoming().add(message);
  }

  /**
   * Sends.
   *
   * @param invalidates STag of the peer that the message invalidates, or null
   * @param stag number of the STag in the message, or 0
   * @param last whether it is the last message
   * @param fault in it, or null; the peer must not receive a wrong message
   */
  boolean send(int length, int flags, ModelStag invalidates, int stag, boolean last, Fault fault) {
    PostedRequest request = request(Opcode.SEND, length, fault);
    if (last) {
      request.signal(true);
    }
    if (!outbox.post(request, ringFlags(request, flags), length, stag, 0, 0, 0)) {
      return false;
    }
    posted(request, flags, invalidates == null ? ProgramEvent.SENDS : ProgramEvent.INVALIDATING);
    if (fault == null) {
      message(
          ExpectedMessage.ofSend(
              request.number(),
              outbox.array(),
              outbox.first(),
              length,
              solicited(flags),
              invalidates,
              last));
    }
    return true;
  }

  /** Sends a message with immediate data, which both ends want. */
  boolean sendWithImmediate(int length, int flags) {
    PostedRequest request = request(Opcode.SEND_WITH_IMMEDIATE, length, null);
    long data = Integer.toUnsignedLong(random.nextInt());
    if (!outbox.post(request, ringFlags(request, flags), length, 0, 0, 0, data)) {
      return false;
    }
    posted(request, flags, ProgramEvent.SENDS_WITH_IMMEDIATE);
    message(
        ExpectedMessage.ofSendWithImmediate(
            request.number(), outbox.array(), outbox.first(), length, data, solicited(flags)));
    return true;
  }

  /** Sends immediate data. */
  boolean immediate(int flags) {
    PostedRequest request = request(Opcode.IMMEDIATE, Long.BYTES, null);
    long data = random.nextLong();
    if (!post(request, ringFlags(request, flags), 0, 0, 0, 0, 0, data)) {
      return false;
    }
    posted(request, flags, ProgramEvent.IMMEDIATE);
    message(ExpectedMessage.ofImmediate(request.number(), data, solicited(flags)));
    return true;
  }

  private boolean post(
      PostedRequest request,
      int flags,
      int localStag,
      long localOffset,
      long length,
      int stag,
      long to,
      long immediate) {
    SubmissionEntry entry = end.program().rings().claim(1);
    return end.program()
        .posted(
            entry != null
                && entry
                    .begin(request.opcode(), flags, request.id(), end.connection())
                    .memory(localStag, localOffset, length)
                    .remote(stag, to)
                    .immediate(immediate)
                    .submit());
  }

  /**
   * Reads.
   *
   * @param tag of the peer, or null if there will be no answer
   * @param at offset in the peer's memory
   * @param fault in it, or null
   */
  boolean read(int stag, long to, ModelStag tag, int at, int length, int flags, Fault fault) {
    int into = sink.allocate(length);
    if (into < 0) {
      return false;
    }
    PostedRequest request = request(Opcode.READ, length, fault);
    int how = unsolicited(flags);
    int local = end.stags().localStag();
    int offset = into - end.layout().own().from();
    if (!post(request, ringFlags(request, how), local, offset, length, stag, to, 0)) {
      sink.free(into);
      return false;
    }
    posted(request, how, ProgramEvent.READS);
    ReadOctets coming =
        tag == null ? null : end.peer().memory().read(at, length, request.number(), tag);
    request.reads(coming);
    answer(request, into, length, coming == null ? NOTHING : coming);
    return true;
  }

  private void answer(PostedRequest request, int into, int length, ExpectedOctets coming) {
    ExpectedPlacement answer = ExpectedPlacement.own(into, length, coming, 0);
    request.answeredAt(answer);
    memory.expect(answer);
  }

  /**
   * Does an atomic.
   *
   * @param tag of the peer, or null if there will be no answer
   * @param at offset in the peer's memory
   * @param fault in it, or null
   */
  boolean atomic(
      int stag, long to, ModelStag tag, int at, AtomicOperation does, int flags, Fault fault) {
    int into = sink.allocate(Long.BYTES);
    if (into < 0) {
      return false;
    }
    int opcode =
        switch (does.kind()) {
          case FETCH_ADD -> Opcode.FETCH_ADD;
          case SWAP -> Opcode.SWAP;
          case COMPARE_SWAP -> Opcode.COMPARE_SWAP;
        };
    PostedRequest request = request(opcode, Long.BYTES, fault);
    int how = unsolicited(flags);
    SubmissionEntry entry = end.program().rings().claim(WorkRequest.ATOMIC_SLOTS);
    boolean done =
        entry != null
            && entry
                .begin(opcode, ringFlags(request, how), request.id(), end.connection())
                .memory(
                    end.stags().localStag(),
                    into - end.layout().own().from(),
                    RequestForm.ATOMIC_OCTETS)
                .remote(stag, to)
                .operands(does.data(), does.mask(), does.compare(), does.compareMask())
                .submit();
    if (!end.program().posted(done)) {
      sink.free(into);
      return false;
    }
    posted(request, how, ProgramEvent.ATOMICS);
    if (tag == null) {
      answer(request, into, Long.BYTES, NOTHING);
      return true;
    }
    byte[] before = end.peer().memory().posted(at, Long.BYTES);
    byte[] after = does.apply(before);
    ExpectedPlacement target =
        ExpectedPlacement.ofAtomic(at, new KnownOctets(after, 0), request.number(), tag);
    request.writes(target);
    end.peer().memory().expect(target, after, 0, fence);
    answer(request, into, Long.BYTES, new KnownOctets(before, 0));
    return true;
  }

  /** Invalidates an STag of this end. */
  boolean invalidate(ModelStag tag, int flags) {
    PostedRequest request = request(Opcode.INVALIDATE, 0, null);
    int how = unsolicited(flags);
    request.names(tag, null);
    if (!post(request, ringFlags(request, how), 0, 0, 0, tag.stag(), 0, 0)) {
      return false;
    }
    posted(request, how, ProgramEvent.INVALIDATES);
    return true;
  }

  /**
   * Binds a window.
   *
   * @param from offset in the region
   * @param tag of the bound window
   * @param fails whether the bind must fail
   */
  boolean bind(
      ModelWindow window, ModelStag region, int from, ModelStag tag, boolean fails, int flags) {
    PostedRequest request = request(Opcode.BIND, 0, null);
    request.signal(true);
    request.names(tag, window);
    if (fails) {
      request.refuse(CompletionStatus.MW_BIND_ERROR);
    }
    int how = unsolicited(flags);
    int rights = tag.rights();
    if (!post(request, how, region.stag(), from, tag.length(), window.number(), rights, 0)) {
      return false;
    }
    window.binding();
    posted(request, fails ? 0 : how, ProgramEvent.BINDS);
    return true;
  }

  // ---- What the daemon must refuse ----

  /**
   * Posts a request that names local memory it may not use, or that this connection does not
   * support.
   */
  boolean nonsense(int length) {
    ModelStag foreign = end.stags().boundElsewhere();
    int local = end.stags().localStag();
    int beyond = end.layout().own().length() - length;
    return switch (random.nextInt(foreign == null ? 2 : 3)) {
      case 0 -> nonsense(Opcode.SEND_UNTAGGED, CompletionStatus.LOCAL_OPERATION_ERROR, 0, 0, 0);
      case 1 -> {
        int opcode = random.nextBoolean() ? Opcode.SEND : Opcode.READ;
        yield nonsense(opcode, CompletionStatus.LOCAL_PROTECTION_ERROR, local, beyond, length + 1);
      }
      default -> readInto(foreign);
    };
  }

  private boolean nonsense(int opcode, CompletionStatus refusal, int stag, int from, int length) {
    PostedRequest request = request(opcode, 0, null);
    request.signal(true);
    request.refuse(refusal);
    return nonsense(request, stag, from, length);
  }

  /** Reads into a region of another connection. */
  private boolean readInto(ModelStag region) {
    PostedRequest request = request(Opcode.READ, 0, null);
    request.signal(true);
    request.names(region, null);
    request.refuse(CompletionStatus.LOCAL_PROTECTION_ERROR);
    return nonsense(request, region.stag(), 0, Math.min(region.length(), 64));
  }

  private boolean nonsense(PostedRequest request, int stag, int from, int length) {
    boolean done = post(request, SendFlags.SIGNALLED, stag, from, length, 0, 0, 0);
    if (done) {
      posted(request, 0, ProgramEvent.NONSENSE);
    }
    return done;
  }

  // ---- Memory ----

  /** The program writes into memory that no request uses. */
  void scribble() {
    Piece slot = end.layout().slots().get(random.nextInt(end.layout().slots().size()));
    int length = 1 + random.nextInt(slot.length());
    int from = slot.from() + random.nextInt(slot.length() - length + 1);
    if (memory.isIdle(from, from + length)) {
      memory.write(from, outbox.array(), end.octets().draw(random, length), length);
    }
  }

  /** A request has ended: its memory is overwritten. */
  void giveBack(PostedRequest request) {
    outbox.giveBack(request);
    ExpectedPlacement answer = request.answer();
    if (answer != null) {
      int length = answer.end() - answer.from();
      memory.write(answer.from(), outbox.array(), end.octets().draw(random, length), length);
      sink.free(answer.from());
    }
    if (request.reader() != null) {
      end.peer().memory().forget(request.reader());
    }
  }
}
