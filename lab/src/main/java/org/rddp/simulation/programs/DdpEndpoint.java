package org.rddp.simulation.programs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.KnownOctets;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/** One end of a connection that speaks plain DDP: the program is the ULP. */
final class DdpEndpoint extends ProgramEndpoint {
  private static final int MOST_DEPTH = 8;
  private static final int UNPOSTED = 4;
  private static final int LONGEST_HELD = 2048;

  private final SendBuffers outbox;
  private final List<PostedReceives> queues = new ArrayList<>();
  private final List<Integer> depths = new ArrayList<>();
  private final int[] messages;
  private final int mostNotices;
  private final Deque<Long> notices = new ArrayDeque<>();
  private final boolean holding;

  /** Whether a request of its own was flushed. */
  private boolean anyUnsent;

  /** The message of the first flushed request: it may have been sent in part. */
  private ExpectedMessage cutShort;

  DdpEndpoint(
      SimulatedProgram program,
      SimulatedProgramConnection conversation,
      boolean initiator,
      Workload plan,
      Slab slab,
      SourceOctets octets) {
    super(program, conversation, initiator, plan, slab, octets);
    outbox = new SendBuffers(this);
    int depth = program.host().settings().receiveDepth();
    int count = Math.min(depth, conversation.queues());
    Piece box = layout().inbox();
    int part = box.length() / count;
    for (int i = 0; i < count; i++) {
      depths.add(Math.min(MOST_DEPTH, depth / count));
      Piece share = new Piece(box.from() + i * part, part);
      queues.add(new PostedReceives(random(), octets, memory(), share));
    }
    messages = new int[count];
    boolean wanted = random().nextBoolean();
    mostNotices = wanted ? Math.min(MOST_DEPTH, depth) : 0;
    holding = program.host().settings().heldOctets() > 0 && random().nextBoolean();
  }

  @Override
  ConnectionSettings settings() {
    int held = holding ? program().host().settings().heldOctets() : 0;
    return new ConnectionSettings(held, mostNotices, depths);
  }

  private DdpEndpoint other() {
    return (DdpEndpoint) peer();
  }

  // ---- Requests ----

  @Override
  void step() {
    if (!requests().hasRoom()) {
      return;
    }
    int kind = random().nextInt(20);
    if (kind < 10) {
      untagged();
    } else if (kind < 18) {
      tagged();
    } else {
      stags().step(false);
    }
  }

  private static int flags(PostedRequest request) {
    return request.signalled() ? SendFlags.SIGNALLED : 0;
  }

  private void untagged() {
    int qn = random().nextInt(Math.min(queues.size(), other().queues.size()));
    int most = other().takes(qn);
    if (most >= 0) {
      send(qn, requests().length(Math.min(most, outbox.most())), false);
    }
  }

  private boolean send(int qn, int length, boolean last) {
    PostedRequest request = requests().draw(Opcode.SEND_UNTAGGED, length);
    if (last) {
      request.signal(true);
    }
    long ulp = random().nextLong() & 0xff_ffff_ffffL;
    if (!outbox.post(request, flags(request), length, 0, qn, 0, ulp)) {
      return false;
    }
    requests().posted(request, ProgramEvent.UNTAGGED);
    peer()
        .incoming()
        .add(
            ExpectedMessage.ofQueue(
                request.number(), outbox.array(), outbox.first(), length, qn, ulp, last));
    return true;
  }

  private void tagged() {
    ModelStag tag = peer().stags().pick(Access.REMOTE_WRITE.bit());
    boolean told = other().mostNotices > 0;
    if (told && !other().takesTagged()) {
      return;
    }
    int length = tag == null ? 0 : requests().length(Math.min(tag.length(), outbox.most()));
    int at = tag == null ? 0 : tag.from() + random().nextInt(tag.length() - length + 1);
    int stag = tag == null ? 0 : tag.stag();
    long to = tag == null ? 0 : tag.to(at);
    PostedRequest request = requests().draw(Opcode.SEND_TAGGED, length);
    long ulp = random().nextInt(256);
    if (!outbox.post(request, flags(request), length, stag, 0, to, ulp)) {
      return;
    }
    requests().posted(request, ProgramEvent.TAGGED);
    if (length > 0) {
      KnownOctets written = new KnownOctets(outbox.array(), outbox.first());
      ExpectedPlacement target =
          ExpectedPlacement.ofWrite(at, length, written, request.number(), tag);
      request.writes(target);
      peer().memory().expect(target, outbox.array(), outbox.first(), -1);
    }
    if (told) {
      peer().incoming().add(ExpectedMessage.ofTagged(request.number(), length, stag, to, ulp));
    }
  }

  @Override
  boolean sayGoodbye() {
    return requests().hasRoom() && other().takes(0) >= 0 && send(0, 0, true);
  }

  @Override
  boolean fault() {
    if (!requests().hasRoom()) {
      return false;
    }
    if (random().nextBoolean()) {
      boolean none = !other().holding && other().takes(0) < 0 && !other().state().receivesStopped;
      boolean sent = none && send(0, 1, false);
      if (sent) {
        peer().state().receivesStopped = true;
      }
      return sent;
    }
    ModelStag tag = peer().stags().pick(Access.REMOTE_WRITE.bit());
    if (tag == null || (other().mostNotices > 0 && !other().takesTagged())) {
      return false;
    }
    tag.pin();
    PostedRequest request = requests().draw(Opcode.SEND_TAGGED, 1 + random().nextInt(2000));
    if (!outbox.post(
        request, flags(request), request.octets(), tag.stag(), 0, tag.to(tag.end()), 0)) {
      return false;
    }
    requests().posted(request, ProgramEvent.TAGGED);
    return true;
  }

  /** The program handles errors itself: see {@link #streamFails}. */
  @Override
  void judgeError() {
    if (peer().state().wrong && state().reason == Reason.DDP_ERROR) {
      count(ProgramEvent.FAULTS);
    }
  }

  @Override
  void races(ModelStag tag) {}

  @Override
  boolean streamFails(DaemonMessage.StreamFailed failed) {
    count(ProgramEvent.STREAM_ERRORS);
    boolean wrongly = failed.reason() == Reason.DDP_ERROR && failed.header().isEmpty();
    verify(!wrongly, "an error of DDP without its header");
    boolean mayTell =
        !state().closing && !state().goodbye && peer().usable() && other().takes(0) >= 0;
    if (mayTell && failed.reason() == Reason.DDP_ERROR && random().nextBoolean()) {
      if (send(0, 4, false)) {
        count(ProgramEvent.LAST_WORDS);
      }
    }
    verify(state().reason == null, "failed twice");
    state().reason = failed.reason();
    state().detail = failed.detail();
    disconnect(random().nextBoolean());
    return true;
  }

  /** After an error of its stream the peer may send one more message; others are skipped. */
  @Override
  ExpectedMessage next(PolledCompletion completion) {
    int qn = completion.opcode() == Opcode.TAGGED_NOTICE ? -1 : completion.qn();
    ExpectedMessage first = incoming().peek();
    while (other().state().failed && first != null && !is(first, qn, completion.rsvdUlp())) {
      incoming().remove();
      first = incoming().peek();
    }
    return super.next(completion);
  }

  private static boolean is(ExpectedMessage message, int qn, long rsvdUlp) {
    return message.qn() == qn && message.rsvdUlp() == rsvdUlp;
  }

  @Override
  void ended(PostedRequest request, boolean done) {
    outbox.giveBack(request);
  }

  /** A message that was not handed to TCP in full never arrives in full. */
  @Override
  void unsent(PostedRequest request) {
    if (!anyUnsent) {
      anyUnsent = true;
      cutShort =
          peer().incoming().stream()
              .filter(message -> message.number() == request.number())
              .findFirst()
              .orElse(null);
    }
    peer().incoming().removeIf(message -> message.number() == request.number());
  }

  // ---- Receives and notices ----

  private long due(int qn) {
    return incoming().stream().filter(message -> message.qn() == qn).count();
  }

  /** Octets that the next message to a queue may have; -1 if none may be sent. */
  private int takes(int qn) {
    if (state().receivesStopped || state().isGone()) {
      return -1;
    }
    int due = (int) due(qn);
    PostedReceive receive = queues.get(qn).behind(due);
    if (receive != null) {
      return receive.length();
    }
    boolean more = holding && due - queues.get(qn).size() < UNPOSTED;
    if (more) {
      count(ProgramEvent.WITHOUT_RECEIVE);
    }
    return more ? LONGEST_HELD : -1;
  }

  private boolean takesTagged() {
    int spare = notices.size() - (int) due(-1);
    return !state().isGone() && (spare > 0 || (holding && spare > -UNPOSTED));
  }

  @Override
  void receive() {
    if (state().receivesStopped || stags().localStag() == 0) {
      return;
    }
    for (int qn = 0; qn < queues.size(); qn++) {
      boolean posted = true;
      while (posted && queues.get(qn).size() < depths.get(qn)) {
        if (plan().lazy() && random().nextInt(3) > 0) {
          return;
        }
        posted = postReceive(qn);
      }
    }
    boolean posted = true;
    while (posted && notices.size() < mostNotices) {
      long id = random().nextLong();
      SubmissionEntry entry = rings().claim(1);
      posted =
          program()
              .posted(
                  entry != null && entry.begin(Opcode.TAGGED_NOTICE, 0, id, connection()).submit());
      if (posted) {
        notices.add(id);
      }
    }
  }

  private ProgramRings rings() {
    return program().rings();
  }

  private boolean postReceive(int qn) {
    PostedReceives queue = queues.get(qn);
    ExpectedMessage waiting =
        incoming().stream()
            .filter(message -> message.qn() == qn)
            .skip(queue.size())
            .findFirst()
            .orElse(null);
    int length = waiting == null ? requests().length(queue.most() / 2) : waiting.length();
    return queue.post(
        length,
        stags().localStag(),
        layout().own().from(),
        (receive, list) -> post(qn, receive, list),
        program().counts());
  }

  private boolean post(int qn, PostedReceive receive, StagPieces list) {
    SubmissionEntry entry = rings().claim(list.slots());
    return program()
        .posted(
            entry != null
                && entry
                    .begin(Opcode.RECEIVE_UNTAGGED, 0, receive.id(), connection())
                    .memory(list)
                    .queue(qn)
                    .submit());
  }

  @Override
  void received(PolledCompletion completion) {
    boolean done = completion.isSuccess();
    if (completion.opcode() == Opcode.TAGGED_NOTICE) {
      verify(mayEnd(completion), "a notice ends as " + completion.status());
      Long next = notices.poll();
      verify(next != null && next == completion.id(), "not the next notice");
      if (done) {
        noticed(completion);
      }
      return;
    }
    int qn = completion.qn();
    PostedReceives queue = qn >= 0 && qn < queues.size() ? queues.get(qn) : null;
    PostedReceive receive = queue == null ? null : queue.first();
    if (receive == null || receive.id() != completion.id()) {
      verify(false, "a completion that is not the next receive's of its queue");
      return;
    }
    boolean tooLong = completion.status() == CompletionStatus.LOCAL_LENGTH_ERROR;
    boolean may = tooLong ? mayBeShort(receive, qn) : mayEnd(completion);
    verify(may, "a receive ends as " + completion.status());
    if (done) {
      filled(receive, completion);
    }
    queue.giveBack(receive);
  }

  /** Whether the next message of a queue may be longer than its receive. */
  private boolean mayBeShort(PostedReceive receive, int qn) {
    // The one message that the peer sends after an error takes an earlier receive.
    if (other().state().failed) {
      return true;
    }
    // The receive was posted when the message that was sent in part was known to be flushed.
    ExpectedMessage cut = other().cutShort;
    return cut != null && cut.qn() == qn && receive.length() < cut.length() && due(qn) == 0;
  }

  private void filled(PostedReceive receive, PolledCompletion completion) {
    ExpectedMessage message = next(completion);
    if (message == null) {
      return;
    }
    count(ProgramEvent.QUEUED);
    verify(message.qn() == completion.qn(), "a message of another queue");
    verify(message.rsvdUlp() == completion.rsvdUlp(), "another RsvdULP");
    verify(completion.octets() == message.length(), "another length");
    verify(completion.msn() == ++messages[completion.qn()], "another MSN");
    if (message.qn() == completion.qn()) {
      receive.filled(message);
    }
  }

  private void noticed(PolledCompletion completion) {
    ExpectedMessage message = next(completion);
    if (message == null) {
      return;
    }
    count(ProgramEvent.NOTICES);
    verify(message.qn() == -1, "a notice for an untagged message");
    verify(message.rsvdUlp() == completion.rsvdUlp(), "another RsvdULP");
    verify(message.stag() == completion.stag(), "another STag");
    long octets = completion.octets();
    boolean fits = octets <= message.length() && (octets > 0) == (message.length() > 0);
    boolean ends = octets == 0 || completion.to() + octets == message.to() + message.length();
    verify(fits && ends, "not a message's last segment");
  }

  @Override
  boolean holds() {
    return holding;
  }

  @Override
  boolean emptied() {
    return notices.isEmpty() && queues.stream().allMatch(queue -> queue.size() == 0);
  }
}
