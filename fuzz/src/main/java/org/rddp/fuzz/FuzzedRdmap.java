package org.rddp.fuzz;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapCompletionStatus;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.tcp.CloseReason;

/**
 * A program on an RDMAP stream. It records the upcalls and checks that every request ends once, and
 * that there is no upcall after the end.
 */
final class FuzzedRdmap implements StartupHandler, RdmapHandler {
  private final List<String> heard = new ArrayList<>();
  private final Set<Long> posted = new HashSet<>();
  private boolean established;
  private boolean failed;
  private boolean closed;

  /** The successful upcalls and the error, in order. */
  List<String> heard() {
    return heard;
  }

  boolean established() {
    return established;
  }

  boolean failed() {
    return failed;
  }

  boolean closed() {
    return closed;
  }

  /** Posts that have not ended. */
  int outstanding() {
    return posted.size();
  }

  /** A request with this id is about to be posted. */
  void posts(long id) {
    Frames.require(posted.add(id), "the script posts " + id + " twice");
  }

  /** The request was refused. */
  void takesBack(long id) {
    posted.remove(id);
  }

  private void ends(long id) {
    Frames.require(posted.remove(id), id + " has ended before, or was never posted");
  }

  @Override
  public void onRequest(MpaStartup startup, byte[] privateData) {
    startup.accept(new byte[0]);
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    Frames.require(!established, "established twice");
    established = true;
  }

  @Override
  public void onRejected(byte[] privateData) {
    throw new AssertionError("rejected");
  }

  @Override
  public void onCompletion(long id, int kind, int status, long octets) {
    ends(id);
    if (status == RdmapCompletionStatus.SUCCESS) {
      Frames.require(!failed, "a request ends well behind an error");
      heard.add((kind == CompletionKind.READ ? "read " : "done ") + id + " " + octets);
    } else {
      Frames.require(octets == 0, "octets of what did not end well");
    }
  }

  @Override
  public void onReceived(long id, long octets, boolean solicited, int invalidated) {
    ends(id);
    Frames.require(!failed, "a message is received behind an error");
    heard.add("received " + id + " " + octets + " " + solicited + " " + invalidated);
  }

  @Override
  public void onImmediate(long id, long data, boolean solicited) {
    ends(id);
    Frames.require(!failed, "immediate data is received behind an error");
    heard.add("immediate " + id + " " + data + " " + solicited);
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    Frames.require(!failed && !closed, "an error behind another, or behind the end");
    Frames.require(!detail.isBlank(), "an error without words");
    failed = true;
    heard.add("error " + layer + "/" + type + "/" + code);
  }

  @Override
  public void onPeerClosed() {
    Frames.require(!closed, "the peer closes behind the end");
  }

  @Override
  public void onClosed(CloseReason reason) {
    Frames.require(!closed, "closed twice");
    closed = true;
    Frames.require(posted.isEmpty(), posted + " have not ended");
  }
}
