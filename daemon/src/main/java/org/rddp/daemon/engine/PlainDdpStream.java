package org.rddp.daemon.engine;

import java.util.function.LongPredicate;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.ddp.DdpSettings;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.UlpHandler;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.ddp.receiving.RefusedReceives;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.UnsentResponse;
import org.rddp.ddp.sending.WorkQueue;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;

/**
 * The stream of a connection that speaks plain DDP (RFC 5041): the program itself is the ULP. It
 * names queues and memory, and gets DDP's reports. Engine thread only.
 */
final class PlainDdpStream implements SessionStream, UlpHandler {
  private static final int REST_BITS = 32;

  private final Session session;
  private final SessionConnection connection;
  private final CompletionReports reports;
  private final WorkQueue sends;
  private final TaggedNotices notices;
  private final int queues;
  private final boolean acknowledged;
  private final DdpStream stream;

  /** Creates a stream that has not begun. */
  PlainDdpStream(
      Session session,
      SessionConnection connection,
      CompletionReports reports,
      ConnectionSettings settings) {
    this.session = session;
    this.connection = connection;
    this.reports = reports;
    sends =
        new WorkQueue(
            session.limits().sendQueue(),
            session.queueMemory(),
            (slot, kind, status, octets) ->
                reports.ended((int) slot, CompletionStatus.of(status), octets));
    notices = new TaggedNotices(settings.taggedNotices());
    queues = settings.queues().size();
    acknowledged = settings.acknowledged();
    ProtectionDomain domain = session.domains().get(settings.domain());
    stream = new DdpStream(session.engine().ddp(), domain, sizes(session, settings), this);
    session.engine().own(stream, session.owner().user());
  }

  private static DdpSettings sizes(Session session, ConnectionSettings settings) {
    return new DdpSettings(
        session.limits().sendQueue(),
        1,
        settings.queues().stream().map(QueueSettings::buffered).toList(),
        settings.heldOctets(),
        session.heldShare(),
        session.queueMemory(),
        settings.acknowledged());
  }

  /** Disables RDMA Reads and RTR messages, which belong to RDMAP. */
  @Override
  public MpaSettings mpa() {
    MpaSettings configured = session.engine().rdmapSettings().mpa();
    return configured.withReads(0, 0).withReadsNegotiated(false).withPeerToPeer(false);
  }

  @Override
  public int prefetch() {
    return reports.prefetch();
  }

  @Override
  public DdpStream ddp() {
    return stream;
  }

  // ---- Calls of the program ----

  @Override
  public void taken(WorkRequest work) {
    reports.taken(work);
  }

  @Override
  public CompletionStatus post(WorkRequest work, StreamRequest request) {
    return switch (work.opcode()) {
      case Opcode.SEND_UNTAGGED, Opcode.SEND_TAGGED ->
          stream.sender().acceptsMessages()
              ? started(send(work, request))
              : CompletionStatus.FLUSHED;
      case Opcode.RECEIVE_UNTAGGED, Opcode.TAGGED_NOTICE ->
          stream.acceptsBuffers() ? started(receive(work, request)) : CompletionStatus.FLUSHED;
      default -> CompletionStatus.LOCAL_OPERATION_ERROR;
    };
  }

  private static CompletionStatus started(boolean posted) {
    return posted ? CompletionStatus.SUCCESS : CompletionStatus.LOCAL_OPERATION_ERROR;
  }

  private boolean send(WorkRequest work, StreamRequest request) {
    if (sends.isFull() || (work.opcode() == Opcode.SEND_UNTAGGED && !hasQueue(work.qn()))) {
      return false;
    }
    long sequence = sends.add(request.token(), work.opcode(), request.length(), false);
    int ulp = (int) work.rsvdUlp();
    if (work.opcode() == Opcode.SEND_TAGGED) {
      return stream.postTagged(sequence, ulp, request); // DDP-4.2-02
    }
    // DDP-4.3-02
    return stream.postUntagged(sequence, first(work.rsvdUlp()), ulp, work.qn(), request);
  }

  private boolean receive(WorkRequest work, StreamRequest request) {
    if (work.opcode() == Opcode.RECEIVE_UNTAGGED) {
      return hasQueue(work.qn()) && stream.postReceive(work.qn(), request);
    }
    boolean posted = notices.post((int) request.token());
    if (posted) {
      stream.resumeReceiving();
    }
    return posted;
  }

  @Override
  public boolean refuse(WorkRequest work, StreamRequest request, CompletionStatus status) {
    int slot = (int) request.token();
    switch (work.form().queue()) {
      case SEND -> sends.refuse(slot, work.opcode(), status.code());
      case RECEIVE -> reports.ended(slot, status, 0);
      case UNTAGGED_RECEIVE -> {
        return hasQueue(work.qn()) && stream.refuseReceive(work.qn(), slot, status.code());
      }
      case NOTICE -> {
        notices.refuse(slot, status.code());
        reportRefusedNotices();
      }
    }
    return true;
  }

  private void reportRefusedNotices() {
    RefusedReceives.Refused refused = notices.takeRefused();
    while (refused != null) {
      reports.ended((int) refused.token(), CompletionStatus.of(refused.status()), 0);
      refused = notices.takeRefused();
    }
  }

  /** The first of the five octets of RsvdULP. */
  private static int first(long rsvdUlp) {
    return (int) (rsvdUlp >>> REST_BITS);
  }

  private boolean hasQueue(int qn) {
    return qn >= 0 && qn < queues;
  }

  @Override
  public void revoke(LongPredicate requests) {
    stream.revoke(requests, sequence -> sends.has(sequence, requests));
  }

  @Override
  public void choose(AcceptSettings settings, MpaStartup startup) throws RequestRefusedException {
    if (settings.needsRdmap()) {
      throw new RequestRefusedException(
          Reason.INVALID, "shared receive queues, IRD and ORD are for RDMAP");
    }
  }

  @Override
  public void close() {
    stream.close();
    flushNoticesIfStopped();
  }

  @Override
  public void abort() {
    stream.abort();
    flushNoticesIfStopped();
  }

  private void flushNoticesIfStopped() {
    while (!stream.acceptsBuffers() && !notices.isEmpty()) {
      reports.ended(notices.take(), CompletionStatus.FLUSHED, 0);
      reportRefusedNotices();
    }
  }

  @Override
  public ConnectionSettings inUse(ConnectionSettings settings) {
    return settings;
  }

  @Override
  public void transfer(Snapshot snapshot, MpaConnection connection, DdpReferences references) {
    sends.transfer(snapshot);
    notices.transfer(snapshot);
    stream.transfer(snapshot, connection, references);
  }

  // ---- Events of the stream ----

  /**
   * Takes requests first: the program may have posted a notice since the last intake of this turn.
   */
  private boolean findsNotice() {
    if (notices.areEnabled() && notices.isEmpty()) {
      session.intake().takeAll();
    }
    return hasNotice();
  }

  private boolean hasNotice() {
    return !notices.areEnabled() || !notices.isEmpty();
  }

  @Override
  public boolean mayDeliverTagged(boolean held) {
    return held ? hasNotice() : findsNotice();
  }

  @Override
  public int admitTagged(int rsvdUlp, int stag, long to, int octets, boolean last) {
    return !last || findsNotice() ? AccessRights.REMOTE_WRITE : REFUSED;
  }

  /** With notices, a Tagged Message is placed in order only. */
  @Override
  public int admitEarly(int rsvdUlp, int stag, long to, int octets) {
    return notices.areEnabled() ? REFUSED : AccessRights.REMOTE_WRITE;
  }

  @Override
  public int admitUntagged(int qn, int rsvdUlp) {
    return 0;
  }

  /**
   * Takes requests first: the program may have posted a receive since the last intake of this turn.
   */
  @Override
  public void onBufferMissing(int qn) {
    session.intake().takeAll();
  }

  @Override
  public void onTaggedMessage(int rsvdUlp, int stag, long to, int octets) {
    if (notices.areEnabled()) {
      reports.receivedTagged(notices.take(), octets, stag, to, rsvdUlp); // DDP-4.2-03, DDP-4.2-06
      reportRefusedNotices();
    }
  }

  @Override
  public void onUntaggedMessage(
      int qn, int msn, long slot, long head, int rsvdUlp, int rsvdUlpRest, long octets) {
    long ulp = (long) rsvdUlp << REST_BITS | Integer.toUnsignedLong(rsvdUlpRest);
    reports.receivedUntagged((int) slot, octets, ulp, qn, msn); // DDP-4.3-03, DDP-5.4-03
  }

  /** No queue here is read in place. */
  @Override
  public void onMessageInPlace(int qn, int rsvdUlp, Ulpdu segment, int from, int octets) {}

  @Override
  public boolean mayStart(long sequence, int rsvdUlp) {
    return true;
  }

  @Override
  public void onSent(long sequence, int rsvdUlp, long octets) {
    if (!acknowledged) {
      sends.end(sequence, CompletionStatus.SUCCESS.code());
    }
  }

  @Override
  public void onAcknowledged(long sequence, int rsvdUlp, long octets) {
    sends.end(sequence, CompletionStatus.SUCCESS.code());
  }

  @Override
  public void onResponseSent(int rsvdUlp) {}

  @Override
  public void onSourceInvalidated(UnsentResponse unsent) {}

  @Override
  public void onSendFlushed(long sequence, int rsvdUlp) {
    sends.end(sequence, CompletionStatus.FLUSHED.code());
  }

  @Override
  public void onSendRevoked(long sequence, int rsvdUlp) {
    sends.end(sequence, CompletionStatus.LOCAL_PROTECTION_ERROR.code());
    stream.fail();
    flushNoticesIfStopped();
    connection.onStreamError(
        Reason.DDP_ERROR, 0, null, "the memory of a message was deregistered before it was sent");
  }

  @Override
  public void onReceiveRefused(int qn, long slot, int status) {
    reports.ended((int) slot, CompletionStatus.of(status), 0);
  }

  @Override
  public void onReceiveRevoked(int qn, long slot) {
    reports.ended((int) slot, CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
  }

  @Override
  public void onReceiveFlushed(int qn, long slot) {
    reports.ended((int) slot, CompletionStatus.FLUSHED, 0);
  }

  @Override
  public void onReceiveTooShort(int qn, long slot) {
    reports.ended((int) slot, CompletionStatus.LOCAL_LENGTH_ERROR, 0);
  }

  @Override
  public void onError(DdpError error, DdpErrorReport report) {
    failed(error, report, error.title());
  }

  /** Called for a missing notice only: this class refuses segments for no other reason. */
  @Override
  public void onRefused(DdpErrorReport report) {
    failed(DdpError.LOCAL_CATASTROPHIC, report, "no notice is posted for a Tagged Message");
  }

  private void failed(DdpError error, DdpErrorReport report, String title) {
    stream.fail();
    flushNoticesIfStopped();
    int detail = error.type() << 8 | error.code();
    // DDP-6.2.2-01, DDP-6.2.2-04
    connection.onStreamError(Reason.DDP_ERROR, detail, report, title + " in " + report);
  }

  @Override
  public void onLlpError(MpaError error, String detail) {
    stream.fail();
    flushNoticesIfStopped();
    connection.onStreamError(Reason.MPA_ERROR, error.code(), null, detail); // DDP-7-01
  }

  @Override
  public void onPeerClosed() {
    connection.onPeerClosed(); // DDP-6.2.1-04
  }

  @Override
  public void onClosed(CloseReason reason) {
    flushNoticesIfStopped();
    connection.onClosed(reason);
  }
}
