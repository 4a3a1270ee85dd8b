package org.rddp.simulation.programs;

import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.Completion;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.PieceList;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.simulation.memory.AtomicOperation;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/**
 * An end of a connection that speaks RDMAP: draws requests that are right, and some that are not.
 */
final class RdmapEndpoint extends ProgramEndpoint {
  private static final int MOST_RECEIVES = 16;
  private static final int UNPOSTED = 4;
  private static final int LONGEST_HELD = 4096;

  private final PostedReceives receives;
  private final RdmapPosts posts;
  private final boolean sharing;
  private final boolean holding;

  RdmapEndpoint(
      SimulatedProgram program,
      SimulatedProgramConnection conversation,
      boolean initiator,
      Workload plan,
      Slab slab,
      SourceOctets octets) {
    super(program, conversation, initiator, plan, slab, octets);
    posts = new RdmapPosts(this);
    receives = new PostedReceives(random(), octets, memory(), layout().inbox());
    sharing = program.shared() != null && random().nextBoolean();
    boolean may = program.host().settings().heldOctets() > 0;
    holding = sharing ? program.shared().holds() : may && random().nextBoolean();
    if (sharing) {
      program.shared().add(this);
    }
  }

  @Override
  ConnectionSettings settings() {
    int held = holding ? program().host().settings().heldOctets() : 0;
    int queue = sharing ? program().shared().number() : 0;
    return new ConnectionSettings(held, 0, List.of(), queue);
  }

  // ---- Requests ----

  private RdmapEndpoint other() {
    return (RdmapEndpoint) peer();
  }

  private boolean room() {
    return outstanding().size() < program().host().settings().sendDepth()
        && names().localStag() != 0;
  }

  @Override
  void step() {
    if (!room()) {
      return;
    }
    boolean answered = !peer().over() || peer().usable();
    int kind = random().nextInt(100);
    if (kind < 26) {
      write(false);
    } else if (kind < 33) {
      write(true);
    } else if (kind < 54) {
      send();
    } else if (kind < 59) {
      immediate();
    } else if (kind < 72 && answered) {
      read();
    } else if (kind < 82 && answered) {
      atomic();
    } else if (kind < 96) {
      names().step(known());
    } else if (kind < 98) {
      posts.nonsense(length(4096));
    } else {
      posts.scribble();
    }
  }

  private int flags() {
    boolean fenced = random().nextDouble() < plan().fence();
    boolean solicited = random().nextInt(4) == 0;
    return (fenced ? SendFlags.FENCED : 0) | (solicited ? SendFlags.SOLICITED : 0);
  }

  private int length(int most) {
    int drawn =
        switch (plan().small() ? random().nextInt(4) : random().nextInt(12)) {
          case 0 -> random().nextInt(16);
          case 1, 2, 3 -> random().nextInt(200);
          case 4, 5, 6, 7 -> random().nextInt(1500);
          case 8 -> random().nextInt(most + 1);
          default -> random().nextInt(6000);
        };
    return Math.min(drawn, most);
  }

  private void write(boolean immediate) {
    if (immediate && other().takes() < Long.BYTES) {
      return;
    }
    ModelStag tag = peer().names().pick(Access.REMOTE_WRITE.bit());
    int length = tag == null ? 0 : length(Math.min(tag.length(), posts.most()));
    int at = tag == null ? 0 : tag.from() + random().nextInt(tag.length() - length + 1);
    int flags = flags();
    if (tag != null && peer().memory().hasAtomic(at, at + length)) {
      // Nobody could say what such an atomic finds.
      flags |= SendFlags.FENCED;
    }
    posts.write(tag, at, length, flags, immediate);
  }

  private void send() {
    int most = other().takes();
    if (most < 0) {
      return;
    }
    int length = random().nextInt(8) == 0 ? most : length(most);
    ModelStag tag =
        random().nextInt(8) == 0 && !wrong()
            ? peer().names().pick(Access.REMOTE_INVALIDATE.bit())
            : null;
    int flags = flags();
    if (tag != null && peer().memory().hasReads(tag)) {
      // What still has to be answered by that name would not be.
      flags |= SendFlags.FENCED;
    }
    if (posts.send(Math.min(length, posts.most()), flags, tag, false) && tag != null) {
      tag.giveUp();
    }
  }

  private void immediate() {
    if (other().takes() >= Long.BYTES) {
      posts.immediate(flags());
    }
  }

  private void read() {
    ModelStag tag = peer().names().pick(Access.REMOTE_READ.bit());
    if (tag != null) {
      int length = length(Math.min(tag.length(), posts.mostRead()));
      int at = tag.from() + random().nextInt(tag.length() - length + 1);
      posts.read(tag, at, length, flags());
    }
  }

  private void atomic() {
    ModelStag tag = peer().names().pick(Access.REMOTE_ATOMIC.bit());
    int first = tag == null ? 0 : (tag.from() + Long.BYTES - 1) & -Long.BYTES;
    int words = tag == null ? 0 : (tag.end() - first) / Long.BYTES;
    if (words < 1) {
      return;
    }
    // Often the same few, so that atomics meet.
    int at = first + random().nextInt(Math.min(words, 4)) * Long.BYTES;
    if (peer().memory().isDeterminate(at, at + Long.BYTES)) {
      byte[] now = peer().memory().posted(at, Long.BYTES);
      posts.atomic(tag, at, AtomicOperation.draw(random(), now), flags());
    }
  }

  @Override
  boolean sayGoodbye() {
    return room() && other().takes() >= 0 && posts.send(0, 0, null, true);
  }

  @Override
  boolean fault() {
    boolean strict = !other().holding && !other().sharing;
    return room()
        && switch (random().nextInt(4)) {
          case 0 -> {
            ModelStag tag = peer().names().pick(Access.REMOTE_WRITE.bit());
            yield tag != null && posts.writeBeyond(tag);
          }
          case 1 -> posts.readNothing();
          case 2 -> {
            boolean none = strict && other().takes() < 0;
            boolean sent = none && posts.send(1, 0, null, false);
            if (sent) {
              peer().starve();
            }
            yield sent;
          }
          default -> posts.writeNothing();
        };
  }

  boolean postInvalidate(ModelStag tag) {
    return known() && room() && posts.invalidate(tag, flags());
  }

  boolean postBind(ModelWindow window, ModelStag region, int from, ModelStag tag, boolean fails) {
    return known() && room() && posts.bind(window, region, from, tag, fails, flags());
  }

  @Override
  void ended(PostedRequest request, boolean done) {
    posts.giveBack(request);
    if (!done) {
      return;
    }
    if (request.opcode() == Opcode.BIND) {
      names().bound(request.window(), request.tag());
    } else if (request.opcode() == Opcode.INVALIDATE) {
      names().revoked(request.tag());
    }
  }

  @Override
  void unsent(PostedRequest request) {}

  // ---- Receives ----

  /** Octets that the next message of the peer's may have; -1 if none may come. */
  int takes() {
    if (starving() || isGone()) {
      return -1;
    }
    if (sharing) {
      return program().shared().takes();
    }
    PostedReceive receive = receives.behind(incoming().size());
    if (receive != null) {
      return receive.length();
    }
    boolean more = holding && incoming().size() - receives.size() < UNPOSTED;
    if (more) {
      count(ProgramEvent.WITHOUT_RECEIVE);
    }
    return more ? LONGEST_HELD : -1;
  }

  @Override
  void receive() {
    int most = Math.min(MOST_RECEIVES, program().host().settings().receiveDepth());
    boolean posted = !sharing && !starving() && names().localStag() != 0;
    while (posted && receives.size() < most) {
      if (plan().lazy() && random().nextInt(3) > 0) {
        return;
      }
      posted = postReceive();
    }
  }

  private boolean postReceive() {
    ExpectedMessage waiting = incoming().stream().skip(receives.size()).findFirst().orElse(null);
    int length = waiting == null ? length(receives.most() / 2) : waiting.length();
    length += waiting != null && random().nextBoolean() ? random().nextInt(length / 2 + 8) : 0;
    return receives.post(length, names().localStag(), own().from(), this::post, program().counts());
  }

  private boolean post(PostedReceive receive, PieceList list) {
    SubmissionEntry entry = program().rings().claim(list.slots());
    return program()
        .posted(
            entry != null
                && entry
                    .begin(Opcode.RECEIVE, 0, receive.id(), connection())
                    .memory(list)
                    .submit());
  }

  @Override
  void received(Completion completion) {
    PostedReceives from = sharing ? program().shared().receives() : receives;
    PostedReceive receive = sharing ? from.find(completion.id()) : from.first();
    if (receive == null || receive.id() != completion.id()) {
      verify(false, "a completion that is not the next receive's: " + completion);
      return;
    }
    int queue = sharing ? program().shared().number() : 0;
    verify(completion.receiveQueue() == queue, "a receive of another queue");
    if (completion.isSuccess()) {
      filled(receive, completion);
    } else {
      verify(mayEnd(completion), "a receive ends as " + completion.status());
    }
    from.giveBack(receive);
  }

  private void filled(PostedReceive receive, Completion completion) {
    ExpectedMessage message = next(completion);
    if (message == null) {
      return;
    }
    if (sharing) {
      count(ProgramEvent.SHARED);
      verify(program().shared().inOrder(this, receive), "a receive before an earlier one");
    }
    verify(completion.octets() == message.length(), "another length: " + completion);
    verify(completion.hasImmediate() == message.isImmediate(), "a number or none, unlike posted");
    verify(
        !message.isImmediate() || completion.immediate() == message.immediate(), "another number");
    verify(completion.isSolicited() == message.solicited(), "solicited, or not, unlike posted");
    ModelStag tag = message.invalidates();
    verify(
        completion.invalidatedStag() == (tag == null ? 0 : tag.stag()),
        "not what was to be invalidated");
    receive.filled(message);
    if (tag != null) {
      names().revoked(tag);
    }
  }

  @Override
  boolean holds() {
    return holding;
  }

  @Override
  boolean emptied() {
    return receives.size() == 0;
  }
}
