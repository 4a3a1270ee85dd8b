package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;

/** The requests of a queue complete in the order in which they were posted, however they end. */
class CompletionOrderTest {
  private static final int UNKNOWN = 12345;

  private final SessionFixture fixture = new SessionFixture();
  private final Session session = fixture.session;
  private SessionFixture.Peer peer;
  private int connection;
  private int region;

  /** Receives that no message of the peer has been sent for. */
  private int unused;

  @BeforeEach
  void connect() throws RequestRefusedException {
    session.listen(Ipv6Address.UNSPECIFIED, SessionFixture.PORT, 8, ConnectionSettings.RDMAP);
    peer = fixture.peer();
    connection = fixture.requested();
    region = fixture.register(Access.LOCAL_WRITE, Access.MW_BIND);
  }

  private void establish() throws RequestRefusedException {
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[0]);
    fixture.run();
    // The Responder may send once it has received something.
    peer.stream.postWrite(new StreamRequest(0).memory(fixture.data.address(), 0).remote(7, 0));
    fixture.run();
  }

  private void post(int opcode, int id, int stag) {
    post(opcode, id, stag, SendFlags.SIGNALLED);
  }

  /** Requests of the send queue are empty, and need nothing of the peer, or are refused. */
  private void post(int opcode, int id, int stag, int flags) {
    boolean receive = opcode == Opcode.RECEIVE;
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(opcode, receive ? 0 : flags, id, connection)
                .memory(stag, 0, receive || stag == UNKNOWN ? 4 : 0)
                .submit())
        .isTrue();
  }

  private void bind(int id, int window) {
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.BIND, 0, id, connection)
                .memory(region, 0, 4)
                .remote(window, Access.REMOTE_READ.bit())
                .submit())
        .isTrue();
  }

  @Test
  @Tag("RDMAP-5.5-02")
  void shouldReportARefusedRequestBehindThoseBeforeIt() throws RequestRefusedException {
    post(Opcode.WRITE, 1, region);
    post(Opcode.WRITE, 2, UNKNOWN);
    bind(3, 77);
    post(Opcode.SEND_UNTAGGED, 4, region);
    post(Opcode.WRITE, 5, region);
    post(Opcode.WRITE, 6, UNKNOWN);
    fixture.run();
    assertThat(fixture.completions()).isEmpty();
    establish();
    assertThat(fixture.completions())
        .containsExactly(
            "write 1 SUCCESS",
            "write 2 LOCAL_PROTECTION_ERROR",
            "bind 3 MW_BIND_ERROR",
            "untagged send 4 LOCAL_OPERATION_ERROR",
            "write 5 SUCCESS",
            "write 6 LOCAL_PROTECTION_ERROR");
  }

  /** Those without a completion of their own are retired by the next one, which was refused. */
  @Test
  @Tag("RDMAP-5.5-02")
  void shouldRetireUnsignalledRequestsWithTheRefusedOneBehindThem() throws RequestRefusedException {
    post(Opcode.WRITE, 1, region, 0);
    post(Opcode.WRITE, 2, UNKNOWN, 0);
    establish();
    assertThat(fixture.completions()).containsExactly("write 2 LOCAL_PROTECTION_ERROR");
  }

  @Test
  @Tag("RDMAP-5.5-02")
  void shouldReportARefusedReceiveBehindThoseBeforeIt() throws RequestRefusedException {
    int readOnly = fixture.register(Access.REMOTE_READ);
    post(Opcode.RECEIVE, 1, region);
    post(Opcode.RECEIVE, 2, readOnly);
    post(Opcode.RECEIVE, 3, region);
    establish();
    assertThat(fixture.completions()).isEmpty();
    peer.stream.postSend(new StreamRequest(1).memory(fixture.data.address(), 4));
    fixture.run();
    assertThat(fixture.completions())
        .containsExactly("receive 1 SUCCESS", "receive 2 LOCAL_PROTECTION_ERROR");
    peer.stream.postSend(new StreamRequest(2).memory(fixture.data.address(), 4));
    fixture.run();
    assertThat(fixture.completions()).containsExactly("receive 3 SUCCESS");
  }

  @Test
  @Tag("RDMAP-5.5-02")
  void shouldReportARefusedRequestAmongThoseThatAreFlushed() throws RequestRefusedException {
    post(Opcode.RECEIVE, 1, region);
    post(Opcode.RECEIVE, 2, UNKNOWN);
    post(Opcode.WRITE, 3, region);
    post(Opcode.WRITE, 4, UNKNOWN);
    post(Opcode.WRITE, 5, region);
    fixture.run();
    session.disconnect(connection, false);
    fixture.run();
    assertThat(fixture.completions())
        .filteredOn(line -> line.startsWith("receive"))
        .containsExactly("receive 1 FLUSHED", "receive 2 LOCAL_PROTECTION_ERROR");
  }

  /** Right and wrong requests of every kind, while the peer answers, until the end. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  @Tag("RDMAP-5.5-02")
  void shouldKeepTheOrderOfEachQueue(int seed) throws RequestRefusedException {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> sends = new ArrayList<>();
    List<Integer> receives = new ArrayList<>();
    int last = 100 + random.nextInt(100);
    for (int id = 1; id < last; id++) {
      if (id == 20) {
        establish();
      }
      if (sends.size() + receives.size() < 15) {
        boolean receive = random.nextInt(4) == 0;
        (receive ? receives : sends).add(id);
        post(id, receive, random);
      }
      if (id > 20 && unused > 0 && random.nextInt(4) == 0) {
        unused--;
        peer.stream.postSend(new StreamRequest(id).memory(fixture.data.address(), 4));
      }
      if (random.nextInt(4) == 0) {
        fixture.run();
        check(sends, receives);
      }
    }
    session.disconnect(connection, random.nextBoolean());
    peer.stream.close();
    fixture.run();
    check(sends, receives);
    assertThat(sends).isEmpty();
    assertThat(receives).isEmpty();
  }

  private void post(int id, boolean receive, SplittableRandom random) {
    int stag = random.nextInt(3) == 0 ? UNKNOWN : region;
    int[] kinds = {Opcode.WRITE, Opcode.READ, Opcode.SEND_UNTAGGED};
    if (receive) {
      unused += stag == region ? 1 : 0;
      post(Opcode.RECEIVE, id, stag);
    } else if (random.nextInt(5) == 0) {
      bind(id, random.nextInt());
    } else {
      post(kinds[random.nextInt(kinds.length)], id, stag);
    }
  }

  private void check(List<Integer> sends, List<Integer> receives) {
    for (String line : fixture.completions()) {
      int id = Integer.parseInt(line.replaceAll("[^0-9]", ""));
      List<Integer> queue = line.startsWith("receive") ? receives : sends;
      assertThat(id).as(line).isEqualTo(queue.removeFirst());
    }
  }
}
