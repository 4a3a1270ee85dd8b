package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.UnsentResponse;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.CloseReason;

/**
 * A user of DDP that writes down what it is told, one line each. Of an error it is the name; that
 * it comes with its numbers is checked here.
 */
final class RecordingUlp implements StartupHandler, UlpHandler {
  /** Error Type and Error Code of each error (RFC 5041 section 7.2). */
  static final Map<DdpError, String> NUMBERS =
      Map.ofEntries(
          Map.entry(DdpError.LOCAL_CATASTROPHIC, "0/00"),
          Map.entry(DdpError.INVALID_STAG, "1/00"),
          Map.entry(DdpError.BASE_OR_BOUNDS, "1/01"),
          Map.entry(DdpError.STAG_NOT_ASSOCIATED, "1/02"),
          Map.entry(DdpError.TO_WRAP, "1/03"),
          Map.entry(DdpError.TAGGED_VERSION, "1/04"),
          Map.entry(DdpError.INVALID_QN, "2/01"),
          Map.entry(DdpError.NO_BUFFER, "2/02"),
          Map.entry(DdpError.MSN_RANGE, "2/03"),
          Map.entry(DdpError.INVALID_MO, "2/04"),
          Map.entry(DdpError.MESSAGE_TOO_LONG, "2/05"),
          Map.entry(DdpError.UNTAGGED_VERSION, "2/06"));

  private final List<String> events = new ArrayList<>();

  /** The octet that it refuses. */
  int refusedRsvdUlp = -1;

  /** Its result for tagged segments received out of order. */
  int early = REFUSED;

  /** What it does when it is told of an error. */
  Runnable onError = () -> {};

  /** What it does when a message has been sent. */
  Runnable onSent = () -> {};

  /** What it does when it is asked about an untagged segment. */
  Runnable onAdmitUntagged = () -> {};

  /** What it does when a message finds no buffer. */
  Runnable onBufferMissing = () -> {};

  /** What it does when it has an Untagged Message. */
  Runnable onUntagged = () -> {};

  /** Whether messages may start. */
  boolean mayStart = true;

  DdpErrorReport report;
  DdpStream stream;

  /** MPA's startup of its stream. */
  MpaStartup startup;

  /** A stream whose peer is asked for it. */
  DdpStream initiator(
      DdpEngine engine, ProtectionDomain domain, DdpSettings settings, byte[] privateData) {
    return initiator(engine, domain, settings, privateData, MpaSettings.DEFAULTS);
  }

  /** A stream whose peer is asked for it in some way. */
  DdpStream initiator(
      DdpEngine engine,
      ProtectionDomain domain,
      DdpSettings settings,
      byte[] privateData,
      MpaSettings mpa) {
    stream = new DdpStream(engine, domain, settings, this);
    startup = MpaStartup.initiator(mpa.withEarly(true), privateData, this, stream);
    return stream;
  }

  /** A stream whose peer asks for it. */
  DdpStream responder(DdpEngine engine, ProtectionDomain domain, DdpSettings settings) {
    stream = new DdpStream(engine, domain, settings, this);
    MpaSettings mpa = MpaSettings.DEFAULTS.withEarly(true);
    startup = MpaStartup.responder(mpa, this, stream);
    return stream;
  }

  /** An error's type and code, written like {@link #NUMBERS}. */
  static String numbers(DdpError error) {
    return "%d/%02x".formatted(error.type(), error.code());
  }

  /** What has happened since the last call. */
  List<String> events() {
    List<String> seen = List.copyOf(events);
    events.clear();
    return seen;
  }

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    events.add("request " + HexFormat.of().formatHex(privateData));
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    events.add("full operation");
  }

  @Override
  public void onRejected(byte[] privateData) {
    events.add("rejected");
  }

  @Override
  public int admitTagged(int rsvdUlp, int stag, long to, int octets, boolean last) {
    return rsvdUlp == refusedRsvdUlp ? REFUSED : AccessRights.REMOTE_WRITE;
  }

  @Override
  public int admitEarly(int rsvdUlp, int stag, long to, int octets) {
    return early;
  }

  @Override
  public int admitUntagged(int qn, int rsvdUlp) {
    onAdmitUntagged.run();
    return rsvdUlp == refusedRsvdUlp ? REFUSED : 0;
  }

  @Override
  public void onBufferMissing(int qn) {
    onBufferMissing.run();
  }

  @Override
  public void onTaggedMessage(int rsvdUlp, int stag, long to, int octets) {
    events.add(
        "tagged %02x stag %08x to %s octets %d"
            .formatted(rsvdUlp, stag, Long.toUnsignedString(to), octets));
  }

  @Override
  public void onUntaggedMessage(
      int qn, int msn, long id, long address, int rsvdUlp, int rsvdUlpRest, long octets) {
    events.add(
        "untagged %02x%08x qn %d msn %s id %d octets %d"
            .formatted(rsvdUlp, rsvdUlpRest, qn, Integer.toUnsignedString(msn), id, octets));
    onUntagged.run();
  }

  @Override
  public void onMessageInPlace(int qn, int rsvdUlp, Ulpdu segment, int from, int octets) {
    StringBuilder message = new StringBuilder();
    for (int i = 0; i < octets; i++) {
      message.append("%02x".formatted(segment.getByte(from + i)));
    }
    events.add("in place %02x qn %d ".formatted(rsvdUlp, qn) + message);
  }

  @Override
  public boolean mayStart(long id, int rsvdUlp) {
    return mayStart;
  }

  @Override
  public void onResponseSent(int rsvdUlp) {
    events.add("response sent");
  }

  @Override
  public void onSourceInvalidated(UnsentResponse unsent) {
    events.add("source invalidated");
    stream.fail();
  }

  @Override
  public void onSent(long id, int rsvdUlp, long octets) {
    events.add("sent %d octets %d".formatted(id, octets));
    onSent.run();
  }

  @Override
  public void onSendRevoked(long id, int rsvdUlp) {
    events.add("revoked " + id);
  }

  @Override
  public void onSendFlushed(long id, int rsvdUlp) {
    events.add("send flushed %d".formatted(id));
  }

  @Override
  public void onReceiveFlushed(int qn, long id) {
    events.add("receive flushed qn %d id %d".formatted(qn, id));
  }

  @Override
  public void onError(DdpError error, DdpErrorReport report) {
    stream.fail();
    assertThat(numbers(error)).as("%s", error).isEqualTo(NUMBERS.get(error));
    this.report = report;
    events.add("error " + error);
    onError.run();
  }

  @Override
  public void onRefused(DdpErrorReport report) {
    stream.fail();
    this.report = report;
    events.add("refused");
    onError.run();
  }

  @Override
  public void onLlpError(MpaError error, String detail) {
    stream.fail();
    events.add("llp error " + error);
    onError.run();
  }

  @Override
  public void onPeerClosed() {
    events.add("peer closed");
  }

  @Override
  public void onClosed(CloseReason reason) {
    events.add("closed " + reason);
  }
}
