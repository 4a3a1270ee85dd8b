package org.rddp.interop.linuxtcp;

import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/**
 * One end of a transfer over TCP: counts octets and computes their SHA-256. It needs octets in
 * order, so it must be wrapped in {@link org.rddp.tcp.testing.InOrderHandler}.
 */
abstract class TransferEnd implements StreamHandler {
  private final MessageDigest digest;
  private TcpStream stream;
  private long octets;
  private int emss;
  private CloseReason closed;

  TransferEnd() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every JDK has SHA-256", impossible);
    }
  }

  /** Counts octets at an address. */
  final void count(long address, int length) {
    digest.update(MemorySegment.ofAddress(address).reinterpret(length).asByteBuffer());
    octets += length;
  }

  final TcpStream stream() {
    return stream;
  }

  /** Octets counted so far. */
  final long octets() {
    return octets;
  }

  /** SHA-256 of the octets, in hexadecimal; call it once. */
  final String sha256() {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Why the connection ended; null while it has not. */
  final CloseReason closed() {
    return closed;
  }

  /** The longest payload of a segment, in octets, as of the last change. */
  final int emss() {
    return emss;
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    emss = opened.emss();
  }

  /** Never called, since octets arrive in order. */
  @Override
  public final void onLeftEdge(long position) {}

  @Override
  public void onEmss(int octets) {
    emss = octets;
  }

  @Override
  public void onAlarm(long now) {}

  @Override
  public void onClosed(CloseReason reason) {
    closed = reason;
  }
}
