package org.rddp.simulation.programs;

import java.util.HashSet;
import java.util.Set;
import org.rddp.client.types.Reason;
import org.rddp.ddp.segment.DdpError;
import org.rddp.mpa.MpaError;
import org.rddp.rdmap.RdmapError;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.ModelStag;

/** The errors that one end of an RDMAP stream may find, and those that it must find. */
final class StreamErrors {
  private final RdmapEndpoint end;

  /** Errors that may follow from an STag that was revoked while the peer used it. */
  private final Set<ErrorNumber> raced = new HashSet<>();

  /** The wrong request that this end has posted, or null. */
  private PostedRequest wrong;

  /** The memory that the wrong request names, or null. */
  private ModelStag named;

  /** The peer's wrong request that an error was found in, or null. */
  private PostedRequest found;

  StreamErrors(RdmapEndpoint end) {
    this.end = end;
  }

  /** The end has posted a wrong request. */
  void posted(PostedRequest request) {
    wrong = request;
    end.say("posts " + request.fault().words());
  }

  /** Whether the end has sent a message that is longer than its receive. */
  boolean sentTooLong() {
    return wrong != null && wrong.fault() == Fault.SEND_TOO_LONG;
  }

  /** The wrong request will name this STag. */
  void names(ModelStag tag) {
    named = tag;
  }

  /** The end is about to revoke an STag that the peer uses. */
  void races(ModelStag tag) {
    MemoryModel memory = end.memory();
    if (memory.hasWrites(tag)) {
      raced.add(ErrorNumber.of(DdpError.INVALID_STAG));
    }
    if (memory.hasReads(tag)) {
      raced.add(ErrorNumber.of(RdmapError.INVALID_STAG));
    }
    if (end.stags().invalidated(tag)) {
      raced.add(ErrorNumber.of(RdmapError.CANNOT_INVALIDATE));
    }
  }

  /** Whether an error that the peer has found is that of the wrong request. */
  private boolean explains(ErrorNumber error) {
    if (wrong == null) {
      return false;
    }
    boolean gone = named != null && !named.live();
    return wrong.fault().mayEndWith(error)
        || (gone && error.equals(ErrorNumber.of(DdpError.INVALID_STAG)))
        || (gone && error.equals(ErrorNumber.of(RdmapError.INVALID_STAG)));
  }

  /**
   * The stream has ended, and its memory is as it was when an error was found: what the peer posted
   * before a wrong request is there. What it posted behind is not, unless it may be placed early
   * (Markers) or the wrong request is looked at later (an atomic).
   */
  void closed(Reason reason, int detail) {
    ErrorNumber error = reason == Reason.TERMINATED ? null : ErrorNumber.of(reason, detail);
    StreamErrors other = end.other().errors();
    if (error == null || raced.contains(error) || !other.explains(error)) {
      return;
    }
    found = other.wrong;
    end.memory()
        .writesDone(
            found.number(), !end.state().closing, "a wrong request behind it was found out");
    boolean early = end.program().host().settings().mpa().markers();
    if (!early && found.fault().kind() != Fault.Kind.ATOMIC) {
      end.memory().refused(found.number());
    }
  }

  /** Checks that the error with which the connection ended has a reason. */
  void judge(Reason reason, int detail) {
    ErrorNumber error = ErrorNumber.of(reason, detail);
    if (error == null) {
      return;
    }
    if (reason == Reason.TERMINATED) {
      judgeTerminate(error);
    } else if (found != null) {
      end.program().counts().found(found.fault());
    } else if (raced.contains(error)) {
      end.count(ProgramEvent.RACES_MET);
    } else {
      end.verify(explained(error), "error " + error + " without a reason");
    }
  }

  /** Checks that the peer has found the error of its Terminate. */
  private void judgeTerminate(ErrorNumber error) {
    Reason reason = end.peer().state().reason;
    ErrorNumber other = ErrorNumber.of(reason, end.peer().state().detail);
    boolean told = reason == null || error.equals(other);
    end.verify(told, "was told of error " + error + ", and the peer found " + other);
    end.count(ProgramEvent.TERMINATES);
  }

  private boolean explained(ErrorNumber error) {
    if (error.equals(ErrorNumber.of(MpaError.NO_MATCHING_RTR))) {
      return end.conversation().startup().withoutRtr();
    }
    if (error.equals(ErrorNumber.of(MpaError.CRC))
        || error.equals(ErrorNumber.of(MpaError.MARKER))) {
      end.count(ProgramEvent.CORRUPTIONS);
      return end.conversation().corrupted();
    }
    if (error.equals(ErrorNumber.of(RdmapError.INVALID_STAG))
        || error.equals(ErrorNumber.of(DdpError.INVALID_STAG))) {
      // Requests that the peer has flushed may still arrive, after their STag was revoked.
      return end.peer().outstanding().flushed();
    }
    return error.equals(ErrorNumber.LOST)
        ? end.conversation().disturbed()
        : error.equals(ErrorNumber.of(DdpError.NO_BUFFER)) && end.mayOverflow();
  }
}
