package org.rddp.simulation.programs;

import java.util.SplittableRandom;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
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
 * ask for. Each returns whether the request went to the ring.
 */
final class RdmapPosts {
  private static final ExpectedOctets NOTHING = (address, from, most) -> 0;

  private final ProgramEndpoint end;
  private final SplittableRandom random;
  private final MemoryModel memory;
  private final SendBuffers outbox;
  private final MemoryRanges sink;
  private long number;
  private long fence = -1;

  RdmapPosts(ProgramEndpoint end) {
    this.end = end;
    random = end.random();
    memory = end.memory();
    outbox = new SendBuffers(end);
    Piece box = end.layout().sink();
    sink = new MemoryRanges(random, box.from(), box.from() + box.length());
  }

  /** The longest message. */
  int most() {
    return outbox.most();
  }

  /** The most octets that a read may bring. */
  int mostRead() {
    return sink.longest();
  }

  private PostedRequest request(int opcode, int octets) {
    PostedRequest request = new PostedRequest(random.nextLong(), opcode, octets, number);
    boolean must =
        end.outstanding().unsignalled() >= 4
            || end.outstanding().size() + 2 >= end.program().host().settings().sendDepth();
    request.signal(must || random.nextDouble() >= end.plan().unsignalled());
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

  private void posted(PostedRequest request, int flags, ProgramEvent happening) {
    number++;
    end.outstanding().add(request);
    end.count(happening);
    if (!request.signalled()) {
      end.count(ProgramEvent.UNSIGNALLED);
    }
    if ((flags & SendFlags.FENCED) != 0 && request.refusal() == null) {
      fence = request.number();
      end.count(ProgramEvent.FENCED);
    }
    if (end.world().isTraced()) {
      end.say("posts " + request + ", " + request.octets() + " octets, id " + request.id());
    }
  }

  /** Writes; without octets if there is no name. */
  boolean write(ModelStag tag, int at, int length, int flags, boolean immediate) {
    int opcode = immediate ? Opcode.WRITE_IMMEDIATE : Opcode.WRITE;
    PostedRequest request = request(opcode, length);
    int how = immediate ? flags : unsolicited(flags);
    long data = immediate ? random.nextLong() : 0;
    int stag = tag == null ? 0 : tag.stag();
    long to = tag == null ? 0 : tag.to(at);
    if (!outbox.post(request, ringFlags(request, how), length, stag, 0, to, data)) {
      return false;
    }
    posted(request, how, immediate ? ProgramEvent.WRITES_IMMEDIATE : ProgramEvent.WRITES);
    if (length > 0) {
      KnownOctets written = new KnownOctets(outbox.array(), outbox.first());
      ExpectedPlacement target =
          ExpectedPlacement.ofWrite(at, length, written, request.number(), tag);
      request.writes(target);
      end.peer().memory().expect(target, outbox.array(), outbox.first(), fence);
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

  /** Sends. */
  boolean send(int length, int flags, ModelStag invalidates, boolean last) {
    PostedRequest request = request(Opcode.SEND, length);
    if (last) {
      request.signal(true);
    }
    int stag = invalidates == null ? 0 : invalidates.stag();
    if (!outbox.post(request, ringFlags(request, flags), length, stag, 0, 0, 0)) {
      return false;
    }
    posted(request, flags, invalidates == null ? ProgramEvent.SENDS : ProgramEvent.INVALIDATING);
    message(
        ExpectedMessage.ofSend(
            request.number(),
            outbox.array(),
            outbox.first(),
            length,
            solicited(flags),
            invalidates,
            last));
    return true;
  }

  /** Sends immediate data. */
  boolean immediate(int flags) {
    PostedRequest request = request(Opcode.SEND_IMMEDIATE, Long.BYTES);
    long data = random.nextLong();
    int how = ringFlags(request, flags);
    if (!post(request, how, 0, 0, 0, 0, 0, data)) {
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

  /** Reads. */
  boolean read(ModelStag tag, int at, int length, int flags) {
    return read(tag, tag.stag(), tag.to(at), at, length, unsolicited(flags));
  }

  private boolean read(ModelStag tag, int stag, long to, int at, int length, int flags) {
    int into = sink.allocate(length);
    if (into < 0) {
      return false;
    }
    PostedRequest request = request(Opcode.READ, length);
    int local = end.names().localStag();
    int how = ringFlags(request, flags);
    if (!post(request, how, local, into - end.own().from(), length, stag, to, 0)) {
      sink.free(into);
      return false;
    }
    posted(request, flags, ProgramEvent.READS);
    ReadOctets coming =
        tag == null ? null : end.peer().memory().read(at, length, request.number(), tag);
    request.reads(coming);
    answer(request, into, length, coming == null ? NOTHING : coming);
    if (tag == null) {
      request.wrong();
    }
    return true;
  }

  private void answer(PostedRequest request, int into, int length, ExpectedOctets coming) {
    ExpectedPlacement answer = ExpectedPlacement.own(into, length, coming, 0);
    request.answeredAt(answer);
    memory.expect(answer);
  }

  /** Does an atomic. */
  boolean atomic(ModelStag tag, int at, AtomicOperation does, int flags) {
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
    PostedRequest request = request(opcode, Long.BYTES);
    int how = unsolicited(flags);
    SubmissionEntry entry = end.program().rings().claim(WorkRequest.ATOMIC_SLOTS);
    boolean done =
        entry != null
            && entry
                .begin(opcode, ringFlags(request, how), request.id(), end.connection())
                .memory(end.names().localStag(), into - end.own().from(), WorkRequest.ATOMIC_OCTETS)
                .remote(tag.stag(), tag.to(at))
                .operands(does.data(), does.mask(), does.compare(), does.compareMask())
                .submit();
    if (!end.program().posted(done)) {
      sink.free(into);
      return false;
    }
    posted(request, how, ProgramEvent.ATOMICS);
    byte[] before = end.peer().memory().posted(at, Long.BYTES);
    byte[] after = does.apply(before);
    ExpectedPlacement target =
        ExpectedPlacement.ofAtomic(at, new KnownOctets(after, 0), request.number(), tag);
    request.writes(target);
    end.peer().memory().expect(target, after, 0, fence);
    answer(request, into, Long.BYTES, new KnownOctets(before, 0));
    return true;
  }

  /** Takes a name of this end's away. */
  boolean invalidate(ModelStag tag, int flags) {
    PostedRequest request = request(Opcode.INVALIDATE, 0);
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
   * @param from where in the region
   * @param tag what the window is to be then
   * @param fails whether it cannot be bound so
   */
  boolean bind(
      ModelWindow window, ModelStag region, int from, ModelStag tag, boolean fails, int flags) {
    PostedRequest request = request(Opcode.BIND, 0);
    int how = unsolicited(flags);
    request.signal(true);
    request.names(tag, window);
    if (fails) {
      request.refuse(CompletionStatus.MW_BIND_ERROR);
    }
    int rights = tag.rights();
    if (!post(request, how, region.stag(), from, tag.length(), window.number(), rights, 0)) {
      return false;
    }
    window.binding();
    posted(request, how, ProgramEvent.BINDS);
    return true;
  }

  // ---- What is wrong ----

  /** Names memory of its own that it may not use, or asks for what this connection does not do. */
  boolean nonsense(int length) {
    boolean kind = random.nextBoolean();
    PostedRequest request = request(kind ? Opcode.SEND_UNTAGGED : Opcode.SEND, 0);
    request.signal(true);
    request.refuse(
        kind ? CompletionStatus.LOCAL_OPERATION_ERROR : CompletionStatus.LOCAL_PROTECTION_ERROR);
    int own = end.own().length();
    boolean done =
        kind
            ? post(request, SendFlags.SIGNALLED, 0, 0, 0, 0, 0, 0)
            : post(
                request,
                SendFlags.SIGNALLED,
                end.names().localStag(),
                own - length,
                length + 1,
                0,
                0,
                0);
    if (done) {
      number++;
      end.outstanding().add(request);
    }
    return done;
  }

  /** Writes right behind what it may write to. */
  boolean writeBeyond(ModelStag tag) {
    tag.pin();
    return wrongWrite(tag.stag(), tag.to(tag.end()));
  }

  /** Writes by a name of nothing. */
  boolean writeNothing() {
    return wrongWrite(noName(), random.nextLong() >>> 1);
  }

  private boolean wrongWrite(int stag, long to) {
    int length = 1 + random.nextInt(2000);
    PostedRequest request = request(Opcode.WRITE, length);
    request.wrong();
    if (!outbox.post(request, ringFlags(request, 0), length, stag, 0, to, 0)) {
      return false;
    }
    posted(request, 0, ProgramEvent.WRITES);
    return true;
  }

  /** Reads by a name of nothing. */
  boolean readNothing() {
    return read(null, noName(), 0, 0, 1 + random.nextInt(Math.min(2000, mostRead())), 0);
  }

  private int noName() {
    int stag = random.nextInt();
    while (end.peer().program().host().engine().ddp().taggedBuffers().lookup(stag) != null) {
      stag = random.nextInt();
    }
    return stag;
  }

  // ---- Memory ----

  /** The program writes where nobody else does. */
  void scribble() {
    Piece slot = end.layout().slots().get(random.nextInt(end.layout().slots().size()));
    int length = 1 + random.nextInt(slot.length());
    int from = slot.from() + random.nextInt(slot.length() - length + 1);
    if (memory.isIdle(from, from + length)) {
      memory.write(from, outbox.array(), end.octets().draw(random, length), length);
    }
  }

  /** A request has ended: its memory is the program's again, and is used for something else. */
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
