package org.rddp.daemon.engine;

import java.util.function.LongPredicate;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;

/** The stream of a connection that speaks RDMAP. Engine thread only. */
final class RdmapSessionStream implements SessionStream, RdmapHandler {
  private final Session session;
  private final SessionConnection connection;
  private final CompletionReports reports;
  private final RdmapSettings settings;
  private final RdmapStream stream;

  /** Creates a stream that has not begun. */
  RdmapSessionStream(
      Session session,
      SessionConnection connection,
      CompletionReports reports,
      ConnectionSettings chosen) {
    this.session = session;
    this.connection = connection;
    this.reports = reports;
    Engine engine = session.engine();
    SessionReceiveQueue receives = session.receiveQueues().get(chosen.receiveQueue());
    settings =
        ChosenStartup.apply(engine.rdmapSettings(), chosen.startup())
            .withQueues(
                session.limits().sendQueue(),
                session.limits().receiveQueue(),
                session.queueMemory())
            .withHeld(chosen.heldOctets(), session.heldShare())
            .withSharedReceives(receives == null ? null : receives.queue())
            .withAcknowledged(chosen.acknowledged());
    ProtectionDomain domain = session.domains().get(chosen.domain());
    this.stream = new RdmapStream(engine.ddp(), domain, settings, this);
    stream.withhold(chosen.withheldRights());
    engine.own(stream.ddp(), session.owner().user());
  }

  @Override
  public MpaSettings mpa() {
    return settings.mpa();
  }

  @Override
  public int prefetch() {
    return stream.prefetch() + reports.prefetch();
  }

  @Override
  public DdpStream ddp() {
    return stream.ddp();
  }

  // ---- Calls of the program ----

  @Override
  public void taken(WorkRequest work) {
    reports.taken(work);
  }

  @Override
  public CompletionStatus post(WorkRequest work, StreamRequest request) {
    return start(work, request) ? CompletionStatus.SUCCESS : CompletionStatus.LOCAL_OPERATION_ERROR;
  }

  private boolean start(WorkRequest work, StreamRequest request) {
    request.flags(work.streamFlags());
    return switch (work.opcode()) {
      case Opcode.RECEIVE -> stream.postReceive(request);
      case Opcode.SEND -> stream.postSend(request);
      case Opcode.READ -> stream.postRead(request);
      case Opcode.WRITE -> stream.postWrite(request);
      case Opcode.INVALIDATE ->
          stream.localOperations().postInvalidate(request.local(work.invalidatedStag(), 0, 0));
      case Opcode.BIND -> stream.localOperations().postBind(request);
      default -> postExtended(work, request);
    };
  }

  /** Posts the requests of RFC 7306. It has no unconditional swap: a swap compares no bits. */
  private boolean postExtended(WorkRequest work, StreamRequest request) {
    long operand = work.operand();
    long mask = work.mask();
    return switch (work.opcode()) {
      case Opcode.WRITE_IMMEDIATE -> stream.postWriteImmediate(request.immediate(work.immediate()));
      case Opcode.IMMEDIATE -> stream.postImmediate(request.immediate(work.immediate()));
      case Opcode.SEND_WITH_IMMEDIATE ->
          stream.postSendWithImmediate(request.immediate(work.immediate()));
      case Opcode.FETCH_ADD -> stream.postFetchAdd(request.operands(operand, mask, 0, -1));
      case Opcode.SWAP -> stream.postCompareSwap(request.operands(operand, mask, 0, 0));
      case Opcode.COMPARE_SWAP ->
          stream.postCompareSwap(
              request.operands(operand, mask, work.compare(), work.compareMask()));
      default -> false;
    };
  }

  @Override
  public boolean refuse(WorkRequest work, StreamRequest request, CompletionStatus status) {
    return switch (work.form().queue()) {
      case SEND -> stream.refuse(request, CompletionKind.SEND, status.code());
      case RECEIVE -> stream.refuseReceive(request.token(), status.code());
      case UNTAGGED_RECEIVE, NOTICE -> false;
    };
  }

  @Override
  public void revoke(LongPredicate requests) {
    stream.revoke(requests);
  }

  @Override
  public void choose(AcceptSettings chosen, MpaStartup startup) throws RequestRefusedException {
    if (chosen.ird() > settings.ird() || chosen.ord() > settings.ord()) {
      throw new RequestRefusedException(
          Reason.LIMIT,
          "IRD %d, ORD %d; the listener allows %d and %d"
              .formatted(chosen.ird(), chosen.ord(), settings.ird(), settings.ord()));
    }
    if (chosen.receiveQueue() != 0) {
      stream.shareReceives(session.receiveQueues().require(chosen.receiveQueue()).queue());
    }
    if (chosen.ird() != StartupOptions.CONFIGURED) {
      startup.chooseIrd(chosen.ird());
    }
    if (chosen.ord() != StartupOptions.CONFIGURED) {
      startup.chooseOrd(chosen.ord());
    }
  }

  @Override
  public void allowSendWithImmediate(boolean agreed) {
    if (agreed) {
      stream.allowSendWithImmediate();
    }
  }

  @Override
  public void close() {
    stream.close();
  }

  @Override
  public void abort() {
    stream.abort();
  }

  @Override
  public ConnectionSettings inUse(ConnectionSettings chosen) {
    return chosen.withStartup(chosen.startup().withReads(settings.ird(), settings.ord()));
  }

  @Override
  public void transfer(Snapshot snapshot, MpaConnection connection, DdpReferences references) {
    stream.transfer(snapshot, connection, references);
  }

  // ---- Events of the stream ----

  @Override
  public void onCompletion(long slot, int kind, int status, long octets) {
    reports.ended((int) slot, CompletionStatus.of(status), octets);
  }

  @Override
  public void onReceived(long slot, long octets, boolean solicited, int invalidated) {
    reports.received((int) slot, octets, solicited, invalidated);
  }

  @Override
  public void onReceivedWithImmediate(long slot, long octets, int data, boolean solicited) {
    reports.receivedWithImmediate((int) slot, octets, data, solicited);
  }

  @Override
  public void onImmediate(long slot, long data, boolean solicited) {
    reports.receivedImmediate((int) slot, data, solicited);
  }

  /**
   * Takes requests first: the program may have posted a receive since the last intake of this turn.
   */
  @Override
  public void onReceiveMissing() {
    session.intake().takeAll();
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    Reason reason =
        switch (layer) {
          case LAYER_LLP -> Reason.MPA_ERROR;
          case LAYER_DDP -> Reason.DDP_ERROR;
          default -> Reason.RDMAP_ERROR;
        };
    connection.onError(reason, layer == LAYER_LLP ? code : type << 8 | code, detail);
  }

  @Override
  public void onTerminated(int layer, int type, int code, String detail) {
    connection.onError(Reason.TERMINATED, layer << 12 | type << 8 | code, detail);
  }

  @Override
  public void onPeerClosed() {
    connection.onPeerClosed();
  }

  @Override
  public void onClosed(CloseReason reason) {
    connection.onClosed(reason);
  }
}
