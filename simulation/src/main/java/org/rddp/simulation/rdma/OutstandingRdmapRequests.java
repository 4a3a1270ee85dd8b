package org.rddp.simulation.rdma;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapCompletionStatus;
import org.rddp.simulation.memory.ModelStag;

/**
 * What one end has posted and has not seen end: holds what RDMAP says of it to what was posted, at
 * both ends, and tells the models of both memories what is known by it.
 */
final class OutstandingRdmapRequests {
  private final StreamEndpoint end;
  private final Deque<SimulatedRdmapRequest> requests = new ArrayDeque<>();
  private final Deque<RdmapReceive> receives = new ArrayDeque<>();
  private SimulatedRdmapRequest posting;
  private boolean flushed;
  private long completed;

  OutstandingRdmapRequests(StreamEndpoint end) {
    this.end = end;
  }

  /** Whether nothing is. */
  boolean isEmpty() {
    return requests.isEmpty() && receives.isEmpty();
  }

  /** Whether anything has ended without being done. */
  boolean flushed() {
    return flushed;
  }

  /** How much has ended. */
  long completed() {
    return completed;
  }

  /** RDMAP says how a request, or a receive that no message has used up, has ended. */
  void ended(long id, int kind, int status, long octets) {
    completed++;
    if (kind == CompletionKind.RECEIVE) {
      receiveFlushed(id, status);
      return;
    }
    SimulatedRdmapRequest request =
        posting != null && posting.id() == id ? takePosting() : requests.poll();
    if (request == null || request.id() != id || request.kind() != kind) {
      end.world().violations().add(end.name() + ": a completion that is not the next one's");
      return;
    }
    if (end.world().isTraced()) {
      end.world()
          .trace(end.name() + ": request " + request.number() + " ends with status " + status);
    }
    if (status == RdmapCompletionStatus.SUCCESS) {
      succeeded(request, octets);
    } else {
      failed(request, status);
    }
    end.posts().giveBack(request);
    end.program().completed();
  }

  /** It has ended within its post. */
  private SimulatedRdmapRequest takePosting() {
    SimulatedRdmapRequest request = posting;
    posting = null;
    request.endAtOnce();
    requests.remove(request);
    return request;
  }

  private void succeeded(SimulatedRdmapRequest request, long octets) {
    end.verify(!request.endedAtOnce(), "a request has ended well within its post");
    end.verify(octets == request.length(), "a completion names " + octets + " octets");
    end.verify(!request.refusedHere(), "a read into memory that is not there has ended well");
    boolean asked =
        request.kind() == CompletionKind.READ || request.kind() == CompletionKind.ATOMIC;
    if (asked) {
      end.verify(request.fault() == null, "answered: " + request.fault());
      // The answer to an atomic says that it is done.
      boolean atomic = request.kind() == CompletionKind.ATOMIC;
      end.peer()
          .memory()
          .allDone(request.number() + (atomic ? 1 : 0), "a request behind it is answered");
      end.memory().done(request.answers(), "it is the answer to a read or an atomic");
      end.peer().memory().forget(request.reader());
    }
  }

  private void failed(SimulatedRdmapRequest request, int status) {
    if (status == RdmapCompletionStatus.LOCAL_PROTECTION_ERROR) {
      end.verify(request.refusedHere(), "a read was refused where it was posted");
      end.counts().add(RdmapEvent.REFUSED_HERE);
    } else {
      boolean refused =
          status == RdmapCompletionStatus.REMOTE_ACCESS_ERROR
              || status == RdmapCompletionStatus.REMOTE_OPERATION_ERROR;
      if (refused) {
        boolean wrong =
            request.fault() != null
                || end.peer().errors().racesReads()
                || end.peer().program().mayOverflow();
        end.verify(wrong, "the peer has refused what is right");
      } else {
        end.verify(
            status == RdmapCompletionStatus.FLUSHED, "a request ended with status " + status);
      }
      end.counts().add(RdmapEvent.FLUSHED);
      flushed = true;
      end.memory().check("requests are flushed");
      if (request.written() != null) {
        request.written().abandon();
      }
    }
    end.memory().end(request.answers());
  }

  private void receiveFlushed(long id, int status) {
    RdmapReceive receive = nextReceive(id);
    end.verify(
        status == RdmapCompletionStatus.FLUSHED || status == RdmapCompletionStatus.LENGTH_ERROR,
        "a receive ended with status " + status);
    end.counts().add(RdmapEvent.FLUSHED);
    flushed = true;
    if (receive != null) {
      end.memory().check("receives are flushed");
      end.memory().end(receive.targets());
      end.program().giveBack(receive);
    }
  }

  private RdmapReceive nextReceive(long id) {
    RdmapReceive receive = receives.poll();
    if (receive == null || receive.id() != id) {
      end.world().violations().add(end.name() + ": a completion that is not the next receive's");
      return null;
    }
    return receive;
  }

  /** A message has used up a receive. */
  void received(long id, long octets, boolean solicited, int invalidated) {
    Message message = received(id, solicited);
    if (message != null) {
      end.verify(!message.immediate(), "immediate data came as a message");
      end.verify(octets == message.length(), octets + " octets came of " + message.length());
      ModelStag tag = message.invalidates();
      end.verify(invalidated == (tag == null ? 0 : tag.stag()), "not what was to be invalidated");
      if (tag != null) {
        end.tags().invalidated(tag);
      }
    }
    end.program().completed();
  }

  /** Immediate data has used up a receive. */
  void immediate(long id, long data, boolean solicited) {
    Message message = received(id, solicited);
    if (message != null) {
      end.verify(message.immediate(), "a message came as immediate data");
      long sent = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        sent = (sent << Byte.SIZE) | (message.array()[message.first() + i] & 0xff);
      }
      end.verify(data == sent, "other immediate data came than was sent");
    }
    end.program().completed();
  }

  private Message received(long id, boolean solicited) {
    completed++;
    end.counts().add(RdmapEvent.RECEIVED);
    RdmapReceive receive = nextReceive(id);
    if (receive == null || receive.message() == null) {
      end.world().violations().add(end.name() + ": a message that was not posted");
      return null;
    }
    Message message = receive.message();
    end.in().received();
    end.verify(solicited == message.solicited(), "an event was solicited, or not, unlike posted");
    end.memory().writesDone(message.number() + 1, "a message behind it was received");
    end.memory().done(receive.targets(), "it is a message that was received");
    end.program().giveBack(receive);
    return message;
  }

  /** Posts a request; false if there is no room, as there should not be. */
  boolean post(SimulatedRdmapRequest request, BooleanSupplier post) {
    boolean room = requests.size() < end.settings().sendDepth();
    if (room) {
      requests.add(request);
    }
    // What ends within its post lets the program post again.
    SimulatedRdmapRequest outer = posting;
    posting = request;
    boolean taken = post.getAsBoolean();
    posting = outer;
    if (request.endedAtOnce()) {
      end.verify(
          taken && (end.over() || flushed || request.refusedHere()),
          "a post ended at once without a reason");
      return false;
    }
    end.verify(taken == room, taken ? "a post too many was taken" : "a post was not taken");
    if (room && !taken) {
      requests.remove(request);
    }
    return taken;
  }

  /** Posts a receive, for which there is room. */
  void post(RdmapReceive receive) {
    receives.add(receive);
    end.in().add(receive);
    end.verify(end.posts().receive(receive.id(), receive.pieces()), "a receive was not taken");
    end.peer().poke();
  }

  int receivesPosted() {
    return receives.size();
  }

  /** Reads and atomics that have no answer. */
  long asking() {
    return requests.stream()
        .filter(one -> one.kind() == CompletionKind.READ || one.kind() == CompletionKind.ATOMIC)
        .count();
  }
}
