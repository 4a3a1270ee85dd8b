package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.simulation.memory.Layout;
import org.rddp.simulation.memory.MemoryRanges;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.rdma.RdmapPlan.Hazard;
import org.rddp.simulation.rdma.RdmapPlan.Receiving;

/**
 * What one end wants: requests of all kinds until its plan is fulfilled, names for its memory that
 * come and go, and receives for the peer's messages.
 */
final class RdmapProgram {
  private static final int PIECES = 4;

  /** After which it looks again at what it could not do, in ns. */
  private static final long PATIENCE = 10_000_000;

  private final StreamEndpoint end;
  private final SplittableRandom random;
  private final RdmapPlan plan;
  private final MemoryRanges inbox;
  private final RdmapRequestGenerator asking;
  private final RdmapStagChanges naming;

  /** How many messages may come without a receive at a time. */
  private final int unposted;

  private double left;
  private long pausedUntil;
  private boolean hazardOver;
  private boolean starving;
  private boolean rude;
  private boolean closedBefore;
  private boolean comesBack;

  RdmapProgram(StreamEndpoint end, Layout layout, SplittableRandom random, RdmapPlan plan) {
    this.end = end;
    this.random = random;
    this.plan = plan;
    left = plan.segments();
    unposted = 1 + random.nextInt(4 << random.nextInt(8));
    Piece box = layout.inbox();
    inbox = new MemoryRanges(random, box.from(), box.from() + box.length());
    asking = new RdmapRequestGenerator(end, random, plan);
    naming = new RdmapStagChanges(end, layout, random);
  }

  /** The stream has been made. */
  void begin() {
    naming.begin();
    if (end.initiator() && plan.early()) {
      receives();
      ask(3);
    }
  }

  /** Responder: it is about to accept. */
  void prepare() {
    receives();
    if (plan.early()) {
      ask(3);
    }
  }

  private void ask(int times) {
    for (int i = 0; i < times; i++) {
      end.counts().add(RdmapEvent.POSTED_EARLY);
      left -= asking.ask();
    }
  }

  /** The stream is up. */
  void established() {
    if (end.initiator()) {
      // A Responder must not send before it has got something (RFC 5044 section 7.1.2).
      end.posts().write(end.tags().noName(), 0, 0, null, 0, false, null);
    }
    receives();
  }

  /** A turn of the duty cycle. */
  void act() {
    if (!end.established()) {
      return;
    }
    receives();
    int most = 1 + random.nextInt(plan.burst());
    for (int i = 0; i < most && mayAsk(); i++) {
      step();
    }
    if (mayAsk()) {
      comeBack();
    }
    if (left <= 0 || forsaken()) {
      finish();
    }
  }

  /** What could not be posted now may be possible later, though nothing else happens until then. */
  private void comeBack() {
    if (!comesBack) {
      comesBack = true;
      long later = end.now() + PATIENCE;
      end.world().network().events().schedule(later, any -> again(), 0);
    }
  }

  private void again() {
    comesBack = false;
    end.poke();
  }

  private boolean mayAsk() {
    return end.usable() && left > 0 && end.now() >= pausedUntil;
  }

  /** Whether the peer takes nothing more, without having closed in an orderly way. */
  private boolean forsaken() {
    StreamEndpoint peer = end.peer();
    return end.hasPeerClosed() && peer.errors().number() != null;
  }

  private void step() {
    if (!hazardOver && left <= plan.hazardAt() && plan.hazard() != Hazard.NONE) {
      hazard();
    } else if (random.nextInt(10) == 0) {
      naming.step();
      left -= 0.2;
    } else {
      left -= asking.ask();
    }
    if (plan.think() > 0 && random.nextDouble() < plan.think()) {
      pausedUntil = end.now() + random.nextLong(plan.thinkTime());
      end.world().network().events().schedule(pausedUntil, any -> end.poke(), 0);
    }
  }

  private void hazard() {
    hazardOver =
        switch (plan.hazard()) {
          case FAULT -> end.peer().stream() != null && new RdmapFaultInjector(end, random).commit();
          case REVOCATION -> naming.revokeUsed();
          case SINK -> naming.revokeSink();
          case CLOSE -> closeRudely();
          case ABORT -> abort();
          case NONE -> true;
        };
    left -= 0.5;
  }

  private boolean closeRudely() {
    rude = true;
    left = 0;
    end.counts().add(RdmapEvent.CLOSED_RUDELY);
    close();
    return true;
  }

  private void close() {
    closedBefore = true;
    end.close();
  }

  private boolean abort() {
    end.counts().add(RdmapEvent.ABORTED);
    end.abort();
    return true;
  }

  /** Closes as soon as the peer waits for no answer. */
  private void finish() {
    if (end.usable() && end.peer().outstanding().asking() == 0) {
      close();
    }
  }

  // Receives.

  private void receives() {
    if (plan.receiving() == Receiving.LAST_MOMENT || starving || !takes()) {
      return;
    }
    boolean lazy = plan.receiving() == Receiving.LAZY;
    if (lazy && random.nextInt(4) > 0) {
      if (end.in().lacking() > 0) {
        long later = end.now() + random.nextLong(plan.thinkTime());
        end.world().network().events().schedule(later, any -> later(), 0);
      }
      return;
    }
    boolean posted = true;
    while (posted && takes() && (!lazy || random.nextInt(3) > 0)) {
      posted = postReceive();
    }
  }

  /** Whether a receive may be posted. */
  private boolean takes() {
    return end.stream() != null
        && !end.done()
        && !end.aborted()
        && end.errors().number() == null
        && end.outstanding().receivesPosted() < end.settings().receiveDepth();
  }

  private void later() {
    if (takes() && !starving) {
      postReceive();
      end.poke();
    }
  }

  private boolean postReceive() {
    Message waiting = end.in().waiting();
    int length = waiting == null ? length(inbox.longest() / 2) : waiting.length();
    length += waiting != null && random.nextBoolean() ? random.nextInt(length / 2 + 8) : 0;
    int from = inbox.allocate(length);
    if (from < 0) {
      return false;
    }
    end.outstanding().post(new RdmapReceive(random.nextLong(), pieces(from, length)));
    return true;
  }

  private int length(int most) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt(16);
      case 1, 2 -> random.nextInt(most);
      default -> random.nextInt(Math.min(most, 4096));
    };
  }

  /** A range as one piece or as several, not in the order of their addresses. */
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

  /** A receive has ended: its memory is used for something else. */
  void giveBack(RdmapReceive receive) {
    for (Piece piece : receive.pieces()) {
      end.posts().overwrite(piece.from(), piece.length());
    }
    inbox.free(receive.pieces().stream().mapToInt(Piece::from).min().orElseThrow());
  }

  /** A message has come for which no receive is posted. */
  void receiveMissing() {
    if (plan.receiving() == Receiving.LAST_MOMENT && !starving && takes()) {
      end.counts().add(RdmapEvent.RECEIVE_AT_LAST);
      postReceive();
    }
  }

  /** Whether the peer may send what no receive has been posted for. */
  boolean takesUnposted() {
    boolean lastMoment = plan.receiving() == Receiving.LAST_MOMENT;
    boolean holds = end.settings().heldOctets() > 0;
    return (lastMoment || holds) && !starving && end.in().lacking() < unposted;
  }

  /** The longest message that may come without a receive. */
  int mostUnposted() {
    return inbox.longest() / 2;
  }

  /** Whether a message without a receive may be one too many. */
  boolean mayOverflow() {
    int window = end.machine().host().settings().receiveBuffer();
    return end.settings().heldOctets() > 0 && end.terms().mayOverflow(end.initiator(), window);
  }

  /** No receives any more. */
  void starve() {
    starving = true;
  }

  /** Something has ended: now and then it goes on at once. */
  void completed() {
    if (end.established() && mayAsk() && random.nextInt(8) == 0) {
      left -= asking.ask();
    }
  }

  /** Whether it has closed its half before its time. */
  boolean rude() {
    return rude;
  }

  /** Whether it had closed its half when an error was found, so that it could not tell. */
  boolean closedBefore() {
    return closedBefore;
  }
}
