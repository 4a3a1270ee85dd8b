package org.rddp.simulation.programs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.simulation.memory.ModelStag;

/**
 * The requests that one end has posted and that have not ended. Each must end once, in order, with
 * the right status.
 */
final class PostedRequests {
  private final ProgramEndpoint end;
  private final Deque<PostedRequest> requests = new ArrayDeque<>();
  private int unsignalled;
  private boolean flushed;

  /** Whether one was posted that the peer has to refuse. */
  private boolean anyWrong;

  /** Whether the peer's Terminate has named one. */
  private boolean refusedThere;

  /** Number of the first request that was flushed because the stream sent nothing more. */
  private long firstLate = Long.MAX_VALUE;

  PostedRequests(ProgramEndpoint end) {
    this.end = end;
  }

  boolean isEmpty() {
    return requests.isEmpty();
  }

  int size() {
    return requests.size();
  }

  /** Number of requests behind the last signalled one. */
  int unsignalled() {
    return unsignalled;
  }

  /** Whether any was flushed or refused by the peer. */
  boolean flushed() {
    return flushed;
  }

  /** Whether one binds, invalidates or names it. */
  boolean names(ModelStag tag) {
    return tag != null
        && requests.stream().anyMatch(one -> one.tag() != null && one.tag().under(tag));
  }

  /** Whether one invalidates it. */
  boolean invalidates(ModelStag tag) {
    return requests.stream().anyMatch(one -> one.opcode() == Opcode.INVALIDATE && one.tag() == tag);
  }

  /**
   * Whether a Read or an atomic posted before a turn and a request is unanswered. The answer to an
   * unsignalled one shows only when a later request has ended.
   */
  boolean hasUnanswered(int beforeTurn, long beforeNumber) {
    return requests.stream()
        .anyMatch(one ->
            asks(one) && one.signalled() && one.turn() < beforeTurn && one.number() < beforeNumber);
  }

  /** A request has been posted. */
  void add(PostedRequest request) {
    requests.add(request);
    anyWrong |= request.fault() != null;
    unsignalled = request.signalled() ? 0 : unsignalled + 1;
  }

  /** The program has polled a completion of this queue. */
  void completed(PolledCompletion completion) {
    for (int i = 1; i < completion.retired(); i++) {
      PostedRequest before = requests.poll();
      if (before == null || before.signalled() || before.id() == completion.id()) {
        end.verify(false, "retires what is to have a completion of its own: " + before);
        return;
      }
      succeeded(before);
    }
    CompletionStatus status = completion.status();
    PostedRequest request = requests.poll();
    if (request == null || request.id() != completion.id()) {
      end.verify(false, "a completion that is not the next one's: " + completion);
      return;
    }
    end.verify(request.opcode() == completion.opcode(), request, "ends as another opcode");
    end(request, completion, status);
  }

  private static boolean asks(PostedRequest request) {
    return request.opcode() == Opcode.READ || RequestForm.of(request.opcode()).atomic();
  }

  private void end(PostedRequest request, PolledCompletion completion, CompletionStatus status) {
    switch (status) {
      case SUCCESS -> {
        boolean due = request.signalled() || end.over() || end.state().goneInEngine;
        end.verify(due, request, "is reported, though it is unsignalled and ended well");
        end.verify(completion.octets() == request.octets(), request, "names other octets");
        succeeded(request);
      }
      case FLUSHED -> {
        flushed = true;
        if (!asks(request)) {
          // One that asks may be flushed because the peer cannot answer.
          firstLate = Math.min(firstLate, request.number());
        }
        end.count(ProgramEvent.FLUSHED);
        failed(request, true);
      }
      case REMOTE_ACCESS_ERROR, REMOTE_OPERATION_ERROR -> {
        flushed = true;
        boolean due = !refusedThere && mayBeRefused(request, status);
        refusedThere = true;
        end.verify(due, request, "ends with " + status);
        end.count(ProgramEvent.REFUSED_THERE);
        failed(request, false);
      }
      default -> {
        boolean due = status == request.refusal() || unbindable(request, status);
        end.verify(due, request, "ends with " + status);
        end.count(refusal(request));
        failed(request, false);
      }
    }
    if (request.window() != null) {
      request.window().bindEnded(completion.windowStag());
      end.verify(completion.window() == request.window().number(), "a bind of another window");
    }
  }

  /** Whether the peer may have refused the request. */
  private boolean mayBeRefused(PostedRequest request, CompletionStatus status) {
    // The peer names a Write by its place. Another one for that place may be taken for it, also
    // when
    // the wrong one has completed, since TCP acknowledges before the peer looks at it.
    if (!asks(request) && anyWrong) {
      return true;
    }
    // Behind messages that wait for a receive there may be no room for the request.
    return status == CompletionStatus.REMOTE_ACCESS_ERROR
        ? request.fault() != null || request.bereft()
        : request.fault() == Fault.ATOMIC_UNALIGNED || end.peer().holds();
  }

  /** Whether the peer may have invalidated the window before the bind was executed. */
  private static boolean rebound(PostedRequest request) {
    ModelStag bound = request.window() == null ? null : request.window().bound();
    return bound != null && bound.givenUp();
  }

  /** Whether the peer may have invalidated the region before the bind was executed. */
  private static boolean unbindable(PostedRequest request, CompletionStatus status) {
    boolean local =
        status == CompletionStatus.MW_BIND_ERROR
            || (status == CompletionStatus.LOCAL_PROTECTION_ERROR
                && request.opcode() == Opcode.INVALIDATE);
    return local && request.tag() != null && !request.tag().regionStays();
  }

  private static ProgramEvent refusal(PostedRequest request) {
    return request.opcode() == Opcode.BIND ? ProgramEvent.BINDS_REFUSED : ProgramEvent.REFUSED;
  }

  private void succeeded(PostedRequest request) {
    end.verify(!end.state().isGone(), request, "ends well, though the connection is gone");
    end.verify(request.refusal() == null || rebound(request), request, "ends well, and must not");
    // Plain DDP sends one more message after an error.
    boolean mayBeSent =
        request.number() < firstLate || end.state().failed || end.mayEndBehindFlushed(request);
    end.verify(mayBeSent, request, "ends well, behind one that was flushed");
    int opcode = request.opcode();
    boolean atomic = RequestForm.of(opcode).atomic();
    if (atomic || opcode == Opcode.READ) {
      end.verify(request.fault() == null, request, "is wrong, and is answered");
      end.peer()
          .memory()
          .allDone(request.number() + (atomic ? 1 : 0), "a request behind it is answered");
      if (request.answer() != null) {
        end.memory().done(List.of(request.answer()), "it is an answer");
      }
    }
    end.ended(request, true);
  }

  private void failed(PostedRequest request, boolean wasFlushed) {
    if (request.written() != null) {
      request.written().abandon();
    }
    if (request.answer() != null) {
      end.memory().check(request + " has failed");
      end.memory().end(List.of(request.answer()));
    }
    end.ended(request, false);
    if (wasFlushed) {
      end.unsent(request);
    }
  }
}
