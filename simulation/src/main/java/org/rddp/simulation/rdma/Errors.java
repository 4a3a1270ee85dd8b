package org.rddp.simulation.rdma;

import java.util.HashSet;
import java.util.Set;
import org.rddp.ddp.segment.DdpError;
import org.rddp.mpa.MpaError;
import org.rddp.rdmap.RdmapError;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.tcp.CloseReason;

/** Which errors one end may be told of, and which it has to be. */
final class Errors {
  private final StreamEndpoint end;
  private final Set<ErrorNumber> raced = new HashSet<>();

  /** The wrong request that this end has posted, or null. */
  private SimulatedRdmapRequest wrong;

  private ErrorNumber number;
  private boolean told;
  private boolean unexplained;
  private String words;

  Errors(StreamEndpoint end) {
    this.end = end;
  }

  /** The error that it was told of, or null. */
  ErrorNumber number() {
    return number;
  }

  /** Whether something wrong is under way, so that memory is to be looked at more often. */
  boolean watchful() {
    return !raced.isEmpty() || end.peer().errors().wrong != null;
  }

  /** It has posted a request that the peer has to end the stream for. */
  void posted(SimulatedRdmapRequest request) {
    wrong = request;
    say("posts " + request.fault().words());
  }

  private void say(String what) {
    if (end.world().isTraced()) {
      end.world().trace(end.name() + " " + what);
    }
  }

  /** Whether it has posted such a request. */
  boolean provoked() {
    return wrong != null;
  }

  /** It is about to take an STag away that requests of the peer's name. */
  void races(ModelStag tag) {
    MemoryModel memory = end.memory();
    if (memory.hasWrites(tag)) {
      raced.add(ErrorNumber.of(DdpError.INVALID_STAG));
    }
    if (memory.hasReads(tag)) {
      raced.add(ErrorNumber.of(RdmapError.INVALID_STAG));
    }
    if (end.tags().live().stream().anyMatch(one -> one.under(tag) && one.givenUp())) {
      raced.add(ErrorNumber.of(RdmapError.CANNOT_INVALIDATE));
    }
    end.counts().add(RdmapEvent.RACES);
    say("takes an STag away while it is used: may end with " + raced);
  }

  /** Whether it has taken an STag away that a read or an atomic of the peer's names. */
  boolean racesReads() {
    return raced.contains(ErrorNumber.of(RdmapError.INVALID_STAG));
  }

  /** It is about to take the sink of its own reads away. */
  void racesSink() {
    raced.add(ErrorNumber.of(DdpError.INVALID_STAG));
    // What the peer asks for without the right may lie there, too.
    raced.add(ErrorNumber.of(RdmapError.INVALID_STAG));
    end.counts().add(RdmapEvent.SINKS_REVOKED);
    say("takes the sink of its reads away");
  }

  /** It is told of an error. */
  void reported(ErrorNumber error, String detail) {
    number = error;
    words = detail;
    Errors other = end.peer().errors();
    if (error.equals(other.number) && !other.told) {
      told = true;
      end.counts().add(RdmapEvent.TERMINATES);
    } else if (other.provokes(error)) {
      if (!raced.contains(error)) {
        end.memory().writesDone(other.wrong.number(), "a wrong request behind it was found out");
        end.counts().found(other.wrong.fault());
      }
    } else if (raced.contains(error)) {
      end.counts().add(RdmapEvent.RACES_MET);
    } else {
      explain(error);
    }
  }

  private boolean provokes(ErrorNumber error) {
    return wrong != null && wrong.fault().mayEndWith(error);
  }

  private void explain(ErrorNumber error) {
    if (error.equals(ErrorNumber.LOST)) {
      end.counts().add(RdmapEvent.LOST);
      unexplained = !goneForAReason();
    } else if (error.equals(ErrorNumber.of(MpaError.NO_MATCHING_RTR))) {
      end.counts().add(RdmapEvent.STARTUP_ERRORS);
      end.verify(end.terms().withoutRtr(), "no matching RTR: " + words);
    } else if (error.equals(ErrorNumber.of(MpaError.CRC))
        || error.equals(ErrorNumber.of(MpaError.MARKER))) {
      end.counts().add(RdmapEvent.CORRUPTIONS);
      end.verify(end.noise().begun(), unasked(error));
    } else {
      boolean overflow =
          error.equals(ErrorNumber.of(DdpError.NO_BUFFER)) && end.program().mayOverflow();
      end.verify(overflow, unasked(error));
    }
  }

  private String unasked(ErrorNumber error) {
    return "error " + error + " without a reason: " + words;
  }

  private boolean goneForAReason() {
    StreamEndpoint peer = end.peer();
    boolean rudely = peer.program().rude() || peer.errors().number != null;
    return peer.lost() || end.lost() || rudely || end.program().rude();
  }

  /** The connection is gone. */
  void closed(CloseReason reason) {
    if (unexplained) {
      end.verify(reason == CloseReason.TIMEOUT || goneForAReason(), unasked(number));
    }
  }

  /** Whether the connection was lost. */
  boolean lost() {
    return ErrorNumber.LOST.equals(number);
  }

  /** What must hold when both ends are done. */
  void judge() {
    StreamEndpoint peer = end.peer();
    boolean calm = !end.lost() && !peer.lost();
    if (calm && wrong != null && number == null) {
      end.verify(peer.errors().number != null, "nobody found out: " + wrong.fault());
    }
    boolean unheard =
        number != null && number.layer() == RdmapHandler.LAYER_LLP && !end.initiator();
    boolean mayTell = calm && number != null && !told && !unheard && !end.program().closedBefore();
    if (mayTell) {
      end.verify(peer.errors().number != null, "the peer was not told of error " + number);
    }
  }
}
