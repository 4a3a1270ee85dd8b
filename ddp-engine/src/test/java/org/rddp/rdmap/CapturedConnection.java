package org.rddp.rdmap;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one end of a captured TCP connection has sent: its segments, each octet once.
 *
 * @param number of the connection in the capture, from 0 on
 * @param port that it was sent from
 * @param initiator whether this end has opened the connection
 * @param segments payloads, in order
 */
record CapturedConnection(int number, int port, boolean initiator, List<byte[]> segments) {
  private static final int FILE_HEADER = 24;
  private static final int LITTLE_ENDIAN = 0xd4c3b2a1;
  private static final int LITTLE_ENDIAN_NANOSECONDS = 0x4d3cb2a1;
  private static final int ETHERNET = 14;
  private static final int SYN = 0x02;
  private static final int ACK = 0x10;

  /** One direction while it is read. */
  private static final class Direction {
    private int number;
    private boolean initiator;
    private int next;
    private final List<byte[]> segments = new ArrayList<>();
  }

  /** Both directions of every connection of a capture among the test's resources. */
  static List<CapturedConnection> read(String capture) {
    ByteBuffer file = ByteBuffer.wrap(octets(capture));
    int magic = file.getInt(0);
    boolean little = magic == LITTLE_ENDIAN || magic == LITTLE_ENDIAN_NANOSECONDS;
    file.order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN).position(FILE_HEADER);
    Map<Long, Direction> directions = new LinkedHashMap<>();
    while (file.hasRemaining()) {
      int length = file.getInt(file.position() + 8);
      file.position(file.position() + 16);
      read(file.slice(file.position(), length).order(ByteOrder.BIG_ENDIAN), directions);
      file.position(file.position() + length);
    }
    List<CapturedConnection> read = new ArrayList<>();
    directions.forEach((ports, direction) ->
        read.add(
            new CapturedConnection(
                direction.number, (int) (ports >>> 16), direction.initiator, direction.segments)));
    return read;
  }

  private static void read(ByteBuffer frame, Map<Long, Direction> directions) {
    int ip = ETHERNET;
    int tcp = ip + (frame.get(ip) & 0x0f) * 4;
    int end = ip + (frame.getShort(ip + 2) & 0xffff);
    int payload = tcp + (frame.get(tcp + 12) >>> 4 & 0x0f) * 4;
    int flags = frame.get(tcp + 13);
    int sequence = frame.getInt(tcp + 4);
    long source = frame.getShort(tcp) & 0xffff;
    long destination = frame.getShort(tcp + 2) & 0xffff;
    long ports = source << 16 | destination;
    if ((flags & SYN) != 0) {
      Direction direction = new Direction();
      direction.initiator = (flags & ACK) == 0;
      direction.number = directions.size() / 2;
      direction.next = sequence + 1;
      directions.put(ports, direction);
    }
    Direction direction = directions.get(ports);
    // What comes once more is skipped; nothing was lost on the way to where it was captured.
    int known = direction.next - sequence;
    int octets = end - payload;
    if (octets > 0 && known >= 0 && known < octets) {
      byte[] segment = new byte[octets - known];
      frame.get(payload + known, segment);
      direction.segments.add(segment);
      direction.next += segment.length;
    } else if (octets > 0 && known < 0) {
      throw new IllegalArgumentException("a hole of " + -known + " octets");
    }
  }

  private static byte[] octets(String capture) {
    String name = "/org/rddp/captures/" + capture + ".pcap";
    try (InputStream stream = CapturedConnection.class.getResourceAsStream(name)) {
      return stream.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
