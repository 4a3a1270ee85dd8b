package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineCounters;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.ProgramRings;

/** Peers connect and reset while the program that listens does not read. */
@Timeout(120)
class UnseenRequestsTest {
  private static final int PORT = ConnectedPrograms.PORT;
  private static final int HONEST_PORT = PORT + 1;
  private static final int BACKLOG = 64;

  /** More messages than may wait for a program with 1024 connections, at two for each. */
  private static final int RESETS = 6000;

  private static final byte[] REQUEST =
      ByteBuffer.allocate(20)
          .put("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII))
          .put((byte) 0x40)
          .put((byte) 1)
          .array();

  private static ProgramMessage listen(int request, int port) {
    return new ProgramMessage.Listen(
        request, IpAddress.ipv4(0), port, BACKLOG, ConnectionSettings.RDMAP);
  }

  @Test
  void shouldLeaveNothingOfARequestThatItsProgramHasNotSeen() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp peer = daemon.connect("one");
        Listener peerListener = peer.listen(PORT);
        MemoryRegion received = peer.allocate(8, Access.LOCAL_WRITE);
        RawProgram program = new RawProgram(daemon.socket())) {
      DaemonMessage.Welcome welcome = program.hello("two");
      try (SharedMemory memory = SharedMemory.map(welcome.rings());
          WakeSocket wake = new WakeSocket(welcome.event())) {
        memory.forbidHoles();
        program.request(number -> new ProgramMessage.ShareMemory(number, 0));
        ProgramRings rings = new ProgramRings(memory.segment(), wake::signal);
        int connection = connect(program);
        IncomingConnection incoming = peerListener.await(TIMEOUT);
        Connection other = incoming.accept();
        assertThat(program.receive()).isInstanceOf(DaemonMessage.Established.class);
        assertThat(other.postReceive(1, received, 0, 8)).isTrue();
        program.request(number -> listen(number, PORT));
        DaemonMessage.Listening honest =
            (DaemonMessage.Listening) program.request(number -> listen(number, HONEST_PORT));

        connectAndReset(daemon);
        long withdrawn = engines(daemon).get(1).counters().startupsWithdrawn();
        new RawTcpConnection(
                engines(daemon).get(0), TestDaemon.ADDRESS_TWO, HONEST_PORT, REQUEST, false)
            .awaitOpen();

        int requests = 0;
        int failures = 0;
        DaemonMessage message = program.receive();
        while (!(message instanceof DaemonMessage.ConnectionRequested requested
            && requested.listener() == honest.listener())) {
          requests += message instanceof DaemonMessage.ConnectionRequested ? 1 : 0;
          failures += message instanceof DaemonMessage.Failed ? 1 : 0;
          message = program.receive();
        }
        assertThat(failures).as("requests that the program hears of").isEqualTo(requests);
        assertThat(withdrawn).as("others").isPositive();

        MemorySegment sent = MemorySegment.ofArray(new byte[8]);
        rings
            .claim(2)
            .begin(Opcode.SEND, SendFlags.SIGNALLED, 2, connection)
            .inline(sent, 0, 8)
            .submit();
        assertThat(completions(peer, 1)).containsExactly("receive 1 SUCCESS 8");
        assertThat(program.request(number -> listen(number, HONEST_PORT + 1)))
            .as("the session goes on")
            .isInstanceOf(DaemonMessage.Listening.class);
      }
    }
  }

  private static int connect(RawProgram program) throws Exception {
    IpAddress one = IpAddress.ipv4(0x0a000001);
    DaemonMessage reply =
        program.request(number ->
            new ProgramMessage.Connect(
                number,
                IpAddress.ipv4(0),
                one,
                PORT,
                (int) TIMEOUT.toMillis(),
                ConnectionSettings.RDMAP,
                PrivateData.NONE));
    return ((DaemonMessage.Connecting) reply).connection();
  }

  private static List<Engine> engines(TestDaemon daemon) {
    return daemon.daemon().engines();
  }

  private static void connectAndReset(TestDaemon daemon) throws Exception {
    EngineCounters counters = engines(daemon).get(1).counters();
    for (int ended = BACKLOG; ended <= RESETS; ended += BACKLOG) {
      List<RawTcpConnection> peers = new ArrayList<>();
      for (int i = 0; i < BACKLOG; i++) {
        peers.add(
            new RawTcpConnection(
                engines(daemon).get(0), TestDaemon.ADDRESS_TWO, PORT, REQUEST, false));
      }
      for (RawTcpConnection peer : peers) {
        peer.awaitOpen();
      }
      peers.forEach(RawTcpConnection::reset);
      long all = ended;
      TestDaemon.await(
          () -> counters.startupErrors + counters.startupsRefused >= all,
          "the requests have ended");
    }
  }
}
