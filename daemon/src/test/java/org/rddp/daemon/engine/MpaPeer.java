package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.rddp.ddp.segment.DdpHeader;
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

/** A peer that speaks MPA properly, and above it whatever the test likes. */
final class MpaPeer implements StartupHandler, UlpduHandler {
  private final long scratch = Memory.allocate(65_536);
  private final List<String> received = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final MpaStartup startup;
  private MpaConnection mpa;

  /** The end that asks. */
  MpaPeer() {
    startup = MpaStartup.initiator(MpaSettings.DEFAULTS, new byte[0], this, this);
  }

  StreamHandler transport() {
    return startup;
  }

  /** Every ULPDU that came, in hexadecimal. */
  List<String> received() {
    return received;
  }

  /** What else happened. */
  List<String> events() {
    return events;
  }

  /** Sends an untagged segment whose octets are all {@code fill}. */
  void untagged(boolean last, long rsvdUlp, int qn, int msn, int mo, int fill, int octets) {
    DdpHeader.writeUntagged(scratch, 1, last, (int) (rsvdUlp >>> 32), (int) rsvdUlp, qn, msn, mo);
    send(DdpHeader.UNTAGGED_LENGTH, fill, octets);
  }

  /** Sends a tagged segment. */
  void tagged(boolean last, int rsvdUlp, int stag, long to, int fill, int octets) {
    DdpHeader.writeTagged(scratch, 1, last, rsvdUlp, stag, to);
    send(DdpHeader.TAGGED_LENGTH, fill, octets);
  }

  /** Sends a ULPDU of that length whose first octets are those of a header of another version. */
  void ofVersion(int version, boolean tagged) {
    if (tagged) {
      DdpHeader.writeTagged(scratch, version, true, 0, 0, 0);
    } else {
      DdpHeader.writeUntagged(scratch, version, true, 0, 0, 0, 1, 0);
    }
    send(tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH, 0, 0);
  }

  /** Sends a segment that is shorter than its header. */
  void cutShort() {
    Memory.putByte(scratch, 0x41);
    send(1, 0, 0);
  }

  private void send(int header, int fill, int octets) {
    for (int i = 0; i < octets; i++) {
      Memory.putByte(scratch + header + i, fill);
    }
    if (!mpa.send(scratch, header + octets, 0, 0)) {
      throw new AssertionError("MPA does not send");
    }
  }

  void abort() {
    if (mpa == null) {
      startup.abort();
    } else {
      mpa.abort();
    }
  }

  void close() {
    mpa.closeSend();
  }

  @Override
  public void onRequest(MpaStartup startup, byte[] privateData) {
    throw new AssertionError("nobody asks this end");
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
    received.add(HexFormat.of().formatHex(octets));
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
