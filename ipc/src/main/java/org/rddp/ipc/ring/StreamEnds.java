package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The addresses of both ends of an octet stream.
 *
 * <pre>
 *  0  family (2)            8  local address (16), of IPv4 four octets
 *  2  local port (2)       24  remote address (16)
 *  4  remote port (2)
 *  6  zero (2)
 * </pre>
 *
 * <p>Numbers are in the machine's order, addresses in that of the network.
 *
 * @param family 2 (AF_INET) or 10 (AF_INET6)
 * @param local 16 octets
 * @param localPort 1 to 65535
 * @param remote 16 octets
 * @param remotePort 1 to 65535
 */
@SuppressWarnings("ArrayRecordComponent") // made once, compared by nobody
public record StreamEnds(int family, byte[] local, int localPort, byte[] remote, int remotePort) {
  /** Octets in memory. */
  public static final int OCTETS = 40;

  private static final int ADDRESS = 16;
  private static final int LOCAL = 8;
  private static final int REMOTE = 24;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.nativeOrder());

  /** Writes them. */
  public void write(MemorySegment to) {
    to.set(SHORT, 0, (short) family);
    to.set(SHORT, 2, (short) localPort);
    to.set(SHORT, 4, (short) remotePort);
    MemorySegment.copy(local, 0, to, ValueLayout.JAVA_BYTE, LOCAL, local.length);
    MemorySegment.copy(remote, 0, to, ValueLayout.JAVA_BYTE, REMOTE, remote.length);
  }

  /** Reads them. */
  public static StreamEnds read(MemorySegment from) {
    byte[] local = new byte[ADDRESS];
    byte[] remote = new byte[ADDRESS];
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, LOCAL, local, 0, ADDRESS);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, REMOTE, remote, 0, ADDRESS);
    return new StreamEnds(
        from.get(SHORT, 0),
        local,
        from.get(SHORT, 2) & 0xffff,
        remote,
        from.get(SHORT, 4) & 0xffff);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StreamEnds(var f, var l, var lp, var r, var rp)
        && f == family
        && lp == localPort
        && rp == remotePort
        && Arrays.equals(l, local)
        && Arrays.equals(r, remote);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(local) ^ Arrays.hashCode(remote) ^ localPort ^ remotePort << 16;
  }
}
