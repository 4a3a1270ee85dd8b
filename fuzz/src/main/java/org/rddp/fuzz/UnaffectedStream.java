package org.rddp.fuzz;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.device.NativePacketPool;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpStream;

/**
 * A second stream of the same engine and protection domain, with memory of its own. The hostile
 * peer must not affect it.
 */
final class UnaffectedStream {
  /** Where its region is in the fuzzed memory. */
  static final int REGION = 2560;

  static final int LENGTH = 256;
  private static final int RECEIVE = 7168;
  private static final int RECEIVE_LENGTH = 64;
  private static final int START = 20;
  private static final long SINK_TO = 0x10;
  private static final int SINK_STAG = 5;

  private final FuzzedRdmap program = new FuzzedRdmap();
  private final RdmapStream rdmap;
  private final InMemoryTcpStream stream;
  private final FpduStream fpdus = new FpduStream(false);
  private int sent;

  UnaffectedStream(DdpEngine engine, ProtectionDomain domain, long area, NativePacketPool pool) {
    RdmapSettings settings = new RdmapSettings(MpaSettings.DEFAULTS, 8, 8);
    rdmap = new RdmapStream(engine, domain, settings, program);
    stream = new InMemoryTcpStream(pool, 1460, 0);
    stream.open(MpaStartup.responder(settings.mpa(), program, rdmap.ddp()));
    byte[] frame = Arrays.copyOf("MPA ID Req Frame@".getBytes(StandardCharsets.US_ASCII), START);
    frame[17] = 1;
    stream.offer(frame, 0, 0, START);
    program.posts(1);
    rdmap.postReceive(new StreamRequest(1).memory(area + RECEIVE, RECEIVE_LENGTH));
  }

  /** The only stream that may use the region. */
  DdpStream ddp() {
    return rdmap.ddp();
  }

  /** Writes, sends and reads, undisturbed by the other stream. */
  void exchange(DdpEngine engine, byte[] memory, int stag) {
    Frames.require(program.heard().isEmpty() && program.outstanding() == 1, "it was disturbed");
    byte[] octets = "an innocent neighbour".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer write = ByteBuffer.allocate(14 + octets.length);
    arrive(write.putShort((short) 0xc140).putInt(stag).putLong(8).put(octets));
    ByteBuffer send = ByteBuffer.allocate(18 + octets.length);
    send.putShort((short) 0x4143).putInt(0).putInt(0).putInt(1).putInt(0);
    arrive(send.put(octets));
    ByteBuffer read = ByteBuffer.allocate(18 + 28);
    read.putShort((short) 0x4141).putInt(0).putInt(1).putInt(1).putInt(0);
    read.putInt(SINK_STAG).putLong(SINK_TO).putInt(octets.length).putInt(stag).putLong(8);
    arrive(read);
    engine.send(Integer.MAX_VALUE);
    System.arraycopy(octets, 0, memory, REGION + 8, octets.length);
    System.arraycopy(octets, 0, memory, RECEIVE, octets.length);
    String heard = "[received 1 " + octets.length + " false 0]";
    Frames.require(program.heard().toString().equals(heard), "it hears " + program.heard());
    stream.endTurn();
    byte[] answer = stream.sent();
    byte[] end = Arrays.copyOfRange(answer, answer.length - octets.length - 7, answer.length - 7);
    Frames.require(Arrays.equals(end, octets), "it is answered wrongly");
  }

  private void arrive(ByteBuffer ulpdu) {
    byte[] octets = new byte[ulpdu.capacity()];
    ulpdu.rewind().get(octets);
    fpdus.fpdu(octets, octets.length, 0, 0);
    stream.offer(fpdus.octets(), START, sent, fpdus.length() - sent);
    sent = fpdus.length();
  }

  /** The connection is reset. */
  void end() {
    rdmap.abort();
    stream.end(CloseReason.NORMAL);
    Frames.require(program.closed(), "the neighbour is not told of the end");
  }
}
