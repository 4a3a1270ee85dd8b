package org.rddp.simulation.programs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/** A program's shared receive queue: its receives, its limit and the connections that use it. */
final class SharedReceives {
  private static final int LENGTH = 2048;
  private static final int DEPTH = 24;
  private static final int GUARD = 64;
  private static final int UNPOSTED = 4;

  private final SimulatedProgram program;
  private final SplittableRandom random;
  private final MemoryModel memory;
  private final Piece box = new Piece(GUARD, 3 * DEPTH * LENGTH);
  private final PostedReceives receives;
  private final boolean holds;
  private final List<RdmapEndpoint> users = new ArrayList<>();
  private final Map<RdmapEndpoint, Long> lastTaken = new HashMap<>();
  private int number;
  private int stag;
  private boolean armed;
  private boolean arming;
  private int limit;
  private boolean destroying;
  private boolean tidied;

  SharedReceives(SimulatedProgram program, Slab slab, SourceOctets octets) {
    this.program = program;
    random = program.random().split();
    holds = program.host().settings().heldOctets() > 0 && random.nextBoolean();
    byte[] start = new byte[box.length() + 2 * GUARD];
    random.nextBytes(start);
    memory =
        new MemoryModel(
            program.hosts().violations(),
            program.name() + "'s shared queue",
            slab.take(start.length),
            start);
    receives = new PostedReceives(random, octets, memory, box);
  }

  /** Creates the queue and registers its memory. */
  void begin() {
    program.control(
        "a receive queue",
        () -> {
          number = program.session().createReceiveQueue(DEPTH);
          return number;
        },
        any -> {});
    program.control(
        "memory of a receive queue",
        () ->
            program.register(memory.address(box.from()), box.length(), Access.LOCAL_WRITE.bit(), 0),
        given -> stag = given);
  }

  void add(RdmapEndpoint user) {
    users.add(user);
  }

  /** Its number, 0 before it exists. */
  int number() {
    return number;
  }

  /** Whether its connections hold messages until a receive is posted. */
  boolean holds() {
    return holds;
  }

  PostedReceives receives() {
    return receives;
  }

  /** Octets that the next message to any of its connections may have; -1 if none may be sent. */
  int takes() {
    int due = 0;
    for (RdmapEndpoint user : users) {
      due += user.incoming().size();
    }
    int spare = receives.size() - due;
    if (spare <= 0 && holds && spare > -UNPOSTED) {
      program.counts().add(ProgramEvent.WITHOUT_RECEIVE);
      return LENGTH;
    }
    return (holds ? spare > -UNPOSTED : spare > 0) ? LENGTH : -1;
  }

  /** Whether a connection takes its receives in order. */
  boolean inOrder(RdmapEndpoint user, PostedReceive receive) {
    Long before = lastTaken.put(user, receive.number());
    return before == null || before < receive.number();
  }

  /** Called when its program runs. */
  void act() {
    if (stag == 0 || tidied) {
      return;
    }
    // The engine has no more receives than these, and must have sent the event, unless it has given
    // them back because the queue is destroyed.
    boolean due = armed && !destroying && receives.size() < limit;
    program.verify(!due, "no event for a limit that was reached");
    boolean done = users.stream().allMatch(ProgramEndpoint::tidied);
    if (done) {
      destroy();
      return;
    }
    boolean posted = true;
    while (posted && receives.size() < DEPTH && random.nextInt(6) > 0) {
      posted = receives.post(LENGTH, stag, box.from(), this::post, program.counts());
    }
    if (!armed && !arming && random.nextInt(4) == 0) {
      arm(1 + random.nextInt(DEPTH));
    }
  }

  private boolean post(PostedReceive receive, StagPieces list) {
    SubmissionEntry entry = program.rings().claim(list.slots());
    return program.posted(
        entry != null
            && entry
                .begin(Opcode.RECEIVE, 0, receive.id(), 0)
                .memory(list)
                .remote(number, 0)
                .submit());
  }

  private void arm(int least) {
    arming = true;
    limit = least;
    program.control(
        "a limit",
        () -> {
          armed = true;
          program.session().armReceiveQueue(number, least);
          return least;
        },
        any -> arming = false);
  }

  /** Called at the event that few receives are left. */
  void limitReached() {
    program.counts().add(ProgramEvent.LIMITS);
    program.verify(armed, "a limit that was not asked for, or twice");
    armed = false;
  }

  /** Whether its program must run again without being woken. */
  boolean wants() {
    return stag != 0 && !tidied && receives.size() < DEPTH;
  }

  /** Whether a completion is of a receive that no connection has taken. */
  boolean flushes(PolledCompletion completion) {
    return completion.opcode() == Opcode.RECEIVE
        && completion.connection() == 0
        && completion.receiveQueue() == number;
  }

  /** A receive is flushed because the queue is destroyed. */
  void flushed(PolledCompletion completion) {
    PostedReceive receive = receives.first();
    boolean next = receive != null && receive.id() == completion.id();
    program.verify(next && destroying, "a receive is given back out of its turn: " + completion);
    program.verify(
        completion.status() == CompletionStatus.FLUSHED, "a receive ends so: " + completion);
    if (next) {
      program.counts().add(ProgramEvent.FLUSHED);
      receives.giveBack(receive);
    }
  }

  private void destroy() {
    if (destroying) {
      return;
    }
    destroying = true;
    program.control(
        "the end of a receive queue",
        () -> program.session().destroyReceiveQueue(number),
        depth -> {
          program.verify(depth == DEPTH, "another depth than it was made with");
          program.verify(receives.size() == 0, "receives of a queue that is gone");
        });
    program.control(
        "the end of a queue's memory",
        () -> {
          program.session().deregister(stag);
          return stag;
        },
        any -> tidied = true);
  }

  boolean tidied() {
    return tidied;
  }

  /** The session has ended. */
  void gone() {
    memory.freeze("its session is gone");
  }

  void judge() {
    memory.check("all is over");
  }
}
