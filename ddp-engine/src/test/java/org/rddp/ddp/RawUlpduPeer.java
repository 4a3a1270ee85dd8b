package org.rddp.ddp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.wire.Memory;

/** A peer that speaks MPA properly and above it whatever the test likes. */
public final class RawUlpduPeer implements StartupHandler, UlpduHandler {
  private final MemorySegment scratch = Arena.ofAuto().allocate(65_536);
  private final List<byte[]> received = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private MpaStartup startup;
  private MpaConnection mpa;

  private RawUlpduPeer() {}

  /** The end that asks. */
  public static RawUlpduPeer initiator() {
    return initiator(MpaSettings.DEFAULTS);
  }

  /** The end that asks, in another way. */
  public static RawUlpduPeer initiator(MpaSettings settings) {
    RawUlpduPeer peer = new RawUlpduPeer();
    peer.startup = MpaStartup.initiator(settings, new byte[0], peer, peer);
    return peer;
  }

  /** The end that is asked, and accepts. */
  public static RawUlpduPeer responder() {
    return responder(MpaSettings.DEFAULTS);
  }

  /** The end that is asked, and accepts in another way. */
  public static RawUlpduPeer responder(MpaSettings settings) {
    RawUlpduPeer peer = new RawUlpduPeer();
    peer.startup = MpaStartup.responder(settings, peer, peer);
    return peer;
  }

  /** What the TCP connection speaks to. */
  public StreamHandler transport() {
    return startup;
  }

  /** Its MPA connection; null before Full Operation. */
  public MpaConnection mpa() {
    return mpa;
  }

  /** Every ULPDU that came, in order. */
  public List<byte[]> received() {
    return received;
  }

  /** Every ULPDU that came, in hexadecimal. */
  public List<String> receivedHex() {
    return received.stream().map(HexFormat.of()::formatHex).toList();
  }

  /** What else happened. */
  public List<String> events() {
    return events;
  }

  /** Sends one ULPDU. */
  public void send(byte[] ulpdu) {
    Memory.copy(ulpdu, 0, scratch.address(), ulpdu.length);
    if (!mpa.send(scratch.address(), ulpdu.length, 0, 0)) {
      throw new AssertionError("MPA does not send");
    }
  }

  /** Sends one ULPDU given in hexadecimal; spaces do not count. */
  public void send(String hex) {
    send(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    asked.accept(new byte[0]);
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {}

  @Override
  public void onFullOperation(MpaConnection connection) {
    mpa = connection;
    events.add("full operation");
  }

  @Override
  public void onRejected(byte[] privateData) {
    events.add("rejected");
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    byte[] octets = new byte[ulpdu.length()];
    for (int i = 0; i < octets.length; i++) {
      octets[i] = (byte) ulpdu.getByte(i);
    }
    received.add(octets);
  }

  @Override
  public void onSendable() {}

  @Override
  public void onMulpdu(int mulpdu) {}

  @Override
  public void onPeerClosed() {
    events.add("peer closed");
  }

  @Override
  public void onError(MpaError error, String detail) {
    events.add("error " + error);
  }

  @Override
  public void onClosed(CloseReason reason) {
    events.add("closed " + reason);
  }
}
