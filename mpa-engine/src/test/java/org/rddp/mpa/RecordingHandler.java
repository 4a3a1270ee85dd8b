package org.rddp.mpa;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.rddp.tcp.CloseReason;
import org.rddp.wire.Memory;

/** Writes down everything that MPA says of a connection, in order. */
final class RecordingHandler implements StartupHandler, UlpduHandler {
  private static final long SCRATCH = Memory.allocate(1 << 16);

  final List<String> events = new ArrayList<>();
  final List<byte[]> ulpdus = new ArrayList<>();
  final List<Long> positions = new ArrayList<>();
  final List<Integer> fragments = new ArrayList<>();
  byte[] privateData;
  MpaError error;
  String detail;
  int sendables;
  int early;

  /** Length of the early ULPDUs that it declines. */
  int declined = -1;

  /** What to do when a ULPDU comes. */
  Runnable uponUlpdu = () -> {};

  /** What to do when a Request comes. */
  Runnable uponRequest = () -> {};

  /** What to do when Full Operation begins. */
  Runnable uponFullOperation = () -> {};

  /** Null before Full Operation. */
  MpaConnection connection;

  @Override
  public void onRequest(MpaStartup startup, byte[] octets) {
    privateData = octets;
    events.add("request " + HexFormat.of().formatHex(octets));
    uponRequest.run();
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] octets) {
    privateData = octets;
    events.add("full operation " + HexFormat.of().formatHex(octets));
  }

  @Override
  public void onFullOperation(MpaConnection begun) {
    connection = begun;
    uponFullOperation.run();
  }

  @Override
  public void onRejected(byte[] octets) {
    privateData = octets;
    events.add("rejected " + HexFormat.of().formatHex(octets));
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    ulpdu.copy(0, SCRATCH, ulpdu.length());
    ulpdus.add(Memory.bytes(SCRATCH, ulpdu.length()));
    positions.add(ulpdu.position());
    fragments.add(ulpdu.fragments());
    early += ulpdu.early() ? 1 : 0;
    events.add((ulpdu.early() ? "early " : "ulpdu ") + ulpdu.length());
    uponUlpdu.run();
  }

  @Override
  public boolean onEarlyUlpdu(Ulpdu ulpdu) {
    if (ulpdu.length() == declined) {
      events.add("declined " + declined);
      return false;
    }
    onUlpdu(ulpdu);
    return true;
  }

  @Override
  public void onDelivered(long position) {
    events.add("delivered " + position);
  }

  @Override
  public void onSendable() {
    sendables++;
  }

  @Override
  public void onMulpdu(int mulpdu) {
    events.add("mulpdu " + mulpdu);
  }

  @Override
  public void onPeerClosed() {
    events.add("peer closed");
  }

  @Override
  public void onError(MpaError number, String text) {
    error = number;
    detail = text;
    events.add("error " + number.code());
  }

  @Override
  public void onClosed(CloseReason reason) {
    events.add("closed " + reason);
  }
}
