package org.rddp.rdmap;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.tcp.CloseReason;

/** A user of RDMAP that records every callback as a line of text. */
final class RecordingRdmap implements StartupHandler, RdmapHandler {
  private static final String[] KINDS = {
    "", "send", "write", "receive", "read", "atomic", "invalidate", "bind"
  };
  private static final String[] STATUSES = {
    "done",
    "length error",
    "protection error",
    "not supported",
    "flushed",
    "not allowed",
    "not done",
    "",
    "bind error"
  };

  /** What it does when a request ends as flushed. */
  Runnable onFlushed = () -> {};

  /** What it does when a Send finds no receive. */
  Runnable onReceiveMissing = () -> {};

  private final List<String> events = new ArrayList<>();

  /** MPA's startup of its stream. */
  MpaStartup startup;

  /** A stream whose peer is asked for it. */
  RdmapStream initiator(
      DdpEngine engine, ProtectionDomain domain, RdmapSettings settings, byte[] privateData) {
    RdmapStream stream = new RdmapStream(engine, domain, settings, this);
    startup = MpaStartup.initiator(settings.mpa(), privateData, this, stream.ddp());
    return stream;
  }

  /** A stream whose peer asks for it. */
  RdmapStream responder(DdpEngine engine, ProtectionDomain domain, RdmapSettings settings) {
    RdmapStream stream = new RdmapStream(engine, domain, settings, this);
    startup = MpaStartup.responder(settings.mpa(), this, stream.ddp());
    return stream;
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
    events.add("established " + HexFormat.of().formatHex(privateData));
  }

  @Override
  public void onRejected(byte[] privateData) {
    events.add("rejected " + HexFormat.of().formatHex(privateData));
  }

  @Override
  public void onCompletion(long id, int kind, int status, long octets) {
    events.add("%s %d %s %d".formatted(KINDS[kind], id, STATUSES[status], octets));
    if (status == RdmapCompletionStatus.FLUSHED) {
      onFlushed.run();
    }
  }

  @Override
  public void onReceived(long id, long octets, boolean solicited, int invalidated) {
    events.add(
        "receive %d done %d".formatted(id, octets)
            + (solicited ? " solicited" : "")
            + (invalidated == 0 ? "" : " invalidated %08x".formatted(invalidated)));
  }

  @Override
  public void onReceivedWithImmediate(long id, long octets, int data, boolean solicited) {
    events.add(
        "receive %d done %d data %x".formatted(id, octets, data) + (solicited ? " solicited" : ""));
  }

  @Override
  public void onImmediate(long id, long data, boolean solicited) {
    events.add("immediate %d data %x".formatted(id, data) + (solicited ? " solicited" : ""));
  }

  @Override
  public void onReceiveMissing() {
    onReceiveMissing.run();
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    events.add("error %d/%d/%d".formatted(layer, type, code));
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
