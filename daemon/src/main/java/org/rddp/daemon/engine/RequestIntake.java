package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.CompletionEntry;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.WorkRequest;

/**
 * Takes a session's work requests from its ring, finds the memory that they name, and starts them.
 * Engine thread only.
 */
public final class RequestIntake {
  private final Session session;
  private final DaemonRings rings;
  private final NumberTable<SessionConnection> connections;
  private final RequestTable requests;
  private final RegisteredMemory memory;
  private final WorkRequest work = new WorkRequest();
  private final StreamRequest request = new StreamRequest();

  RequestIntake(Session session, DaemonRings rings, NumberTable<SessionConnection> connections) {
    this.session = session;
    this.rings = rings;
    this.connections = connections;
    requests = session.requests();
    memory = session.memory();
  }

  /** Takes all requests in the ring. */
  void takeAll() {
    take(session.limits().completions());
  }

  /**
   * Takes requests and starts them. Not reentrant: DDP asks for receives only when a segment
   * arrives, not when it takes a held segment for a posted receive.
   *
   * @param limit the most requests to take
   * @return the number taken
   */
  int take(int limit) {
    // Requests may wait long for room, and would be prefetched in every turn.
    if (session.engine().prefetch().worthwhile() && !rings.isBlocked()) {
      prefetch();
    }
    int taken = 0;
    while (taken < limit && !session.isBroken()) {
      int result = rings.take(work);
      if (result == DaemonRings.NOTHING) {
        break;
      }
      if (result == DaemonRings.GARBAGE) {
        session.fail("a work request in the submission ring is not well formed");
        break;
      }
      taken++;
      start();
    }
    return taken;
  }

  /** Prefetches the connections of the next requests in the ring. */
  void prefetch() {
    session.engine().prefetch().prefetch(rings, connections);
  }

  private void start() {
    session.engine().counters().requests++;
    RequestTarget target = target();
    if (target == null) {
      // A program may post before it learns that its connection has ended.
      refuse(
          work.connection() == 0
              ? CompletionStatus.LOCAL_OPERATION_ERROR
              : CompletionStatus.FLUSHED);
      return;
    }
    target.taken(work);
    int slot = requests.add(work);
    CompletionStatus status = resolve(slot, target.domain());
    if (status == CompletionStatus.SUCCESS) {
      status = target.post(work, request);
    }
    if (status != CompletionStatus.SUCCESS && !target.refuse(work, request, status)) {
      requests.remove(slot);
      refuse(status);
    }
  }

  /** The stream or the shared receive queue that the request names; null if there is none. */
  private RequestTarget target() {
    SessionConnection connection = connections.get(work.connection());
    if (connection != null) {
      return connection.stream();
    }
    return isSharedReceive() ? session.receiveQueues().get(work.receiveQueue()) : null;
  }

  private boolean isSharedReceive() {
    return work.opcode() == Opcode.RECEIVE && work.connection() == 0;
  }

  /**
   * Fills in the stream's request: replaces STags by addresses. The regions stay registered while
   * the request is outstanding.
   *
   * @param domain of the regions that the request may name
   * @return {@link CompletionStatus#SUCCESS}, or the status with which the request is refused
   */
  private CompletionStatus resolve(int slot, ProtectionDomain domain) {
    request.begin(slot).remote(work.remoteStag(), work.remoteTo());
    if (work.isInline()) {
      request.memory(requests.keepInline(slot, work), work.length());
      return CompletionStatus.SUCCESS;
    }
    if (work.opcode() == Opcode.BIND) {
      return resolveBind(slot, domain);
    }
    if (work.opcode() == Opcode.READ) {
      // The sink of a Read of no octets is not checked.
      request.local(work.localStag(), work.localOffset(), 0);
    }
    int rights = work.form().sink() ? AccessRights.LOCAL_WRITE : 0;
    for (int i = 0; i < work.pieces(); i++) {
      long offset = work.pieceOffset(i);
      long length = work.pieceLength(i);
      SessionRegion region = region(domain, work.pieceStag(i), offset, length, rights);
      if (region == null) {
        return CompletionStatus.LOCAL_PROTECTION_ERROR;
      }
      requests.use(slot, i, region);
      request.memory(region.address(offset), length);
      if (work.opcode() == Opcode.READ) {
        request.local(work.localStag(), region.to(offset), length);
      }
    }
    return CompletionStatus.SUCCESS;
  }

  /** Finds a bind's window and region, whose rights are checked when the bind is carried out. */
  private CompletionStatus resolveBind(int slot, ProtectionDomain domain) {
    SessionWindow window = memory.window(work.window());
    SessionRegion region = region(domain, work.localStag(), work.localOffset(), work.length(), 0);
    if (window != null) {
      // Even for a refused bind: its completion names the window.
      requests.use(slot, window);
    }
    if (window != null && window.mayOpenNothing() && work.length() == 0) {
      request.bind(window.window(), null, 0).local(0, 0, 0);
      return CompletionStatus.SUCCESS;
    }
    if (window == null || region == null || work.length() == 0) {
      return CompletionStatus.MW_BIND_ERROR;
    }
    requests.use(slot, 0, region);
    request
        .bind(window.window(), region.buffer(), work.rights())
        .windowStag(work.windowBase(), work.windowKey())
        .local(work.localStag(), region.to(work.localOffset()), work.length());
    return CompletionStatus.SUCCESS;
  }

  /** The region with that STag if it has the domain, the range and the rights; else null. */
  private SessionRegion region(
      ProtectionDomain domain, int stag, long offset, long length, int rights) {
    SessionRegion region = memory.region(stag);
    boolean usable =
        region != null && region.contains(offset, length) && region.allows(domain, rights);
    return usable ? region : null;
  }

  /** Completes a request of no queue, or of a shared one, at once. */
  private void refuse(CompletionStatus status) {
    int opcode = work.opcode();
    CompletionEntry entry = session.claim(1).begin(work.id(), work.connection(), opcode, status, 0);
    if (opcode == Opcode.BIND) {
      SessionWindow window = memory.window(work.window());
      entry.window(work.window(), window == null ? 0 : window.nextStag());
    } else if (opcode == Opcode.RECEIVE_UNTAGGED || opcode == Opcode.TAGGED_NOTICE) {
      entry.untagged(0, work.qn(), 0);
    } else if (isSharedReceive()) {
      entry.receiveQueue(work.receiveQueue());
    }
    entry.submit();
  }
}
