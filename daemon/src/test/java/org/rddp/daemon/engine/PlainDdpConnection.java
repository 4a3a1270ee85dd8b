package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;

/**
 * A program that is the ULP of its connection, and a peer that sends what it likes: what tests of
 * it share.
 */
abstract class PlainDdpConnection {
  static final int QUEUES = 3;
  static final int REGION = 4096;
  static final int HELD = 1 << 16;
  static final long HOUR = 3600_000_000_000L;
  static final long ULP = 0xa1_b2c3_d4e5L;

  final SessionFixture fixture = new SessionFixture();
  final Session session = fixture.session;
  final ProgramRings rings = fixture.rings;
  final MemorySegment data = fixture.data;
  final List<DaemonMessage> events = fixture.events;
  final MpaPeer peer = new MpaPeer();
  int stag;
  int connection;

  void run() {
    fixture.run();
  }

  /** A listener has those options, and the peer has connected. */
  void request(int heldOctets, int notices) throws RequestRefusedException {
    int bits = Access.bits(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    stag = session.register(data.address(), REGION, bits, 0);
    session.listen(
        Ipv6Address.UNSPECIFIED,
        SessionFixture.PORT,
        8,
        new ConnectionSettings(heldOctets, notices, List.of(4, 2, 1)));
    fixture.connect(peer.transport());
    run();
    connection = event(DaemonMessage.ConnectionRequested.class).connection();
  }

  void connect(int heldOctets, int notices) throws RequestRefusedException {
    request(heldOctets, notices);
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[0]);
    run();
  }

  <E extends DaemonMessage> E event(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).findFirst().orElseThrow();
  }

  List<String> completions() {
    session.flush();
    PolledCompletion completion = new PolledCompletion();
    List<String> seen = new ArrayList<>();
    while (rings.poll(completion)) {
      String what =
          completion.id() + " " + completion.status() + " " + completion.octets() + " octets";
      seen.add(
          switch (completion.opcode()) {
            case Opcode.RECEIVE_UNTAGGED ->
                "%s QN %d MSN %d ULP %x"
                    .formatted(what, completion.qn(), completion.msn(), completion.rsvdUlp());
            case Opcode.TAGGED_NOTICE ->
                "%s STag %s TO %x ULP %x"
                    .formatted(
                        what,
                        completion.stag() == stag ? "ours" : completion.stag(),
                        completion.to(),
                        completion.rsvdUlp());
            default -> what;
          });
    }
    rings.publish();
    return seen;
  }

  void receive(int id, int qn, long offset, long length) {
    assertThat(
            rings
                .claim(1)
                .begin(Opcode.RECEIVE_UNTAGGED, 0, id, connection)
                .memory(stag, offset, length)
                .queue(qn)
                .submit())
        .isTrue();
  }

  void notice(int id) {
    assertThat(rings.claim(1).begin(Opcode.TAGGED_NOTICE, 0, id, connection).submit()).isTrue();
  }

  void send(int id, int flags, int qn, long length, long rsvdUlp) {
    assertThat(
            rings
                .claim(1)
                .begin(Opcode.SEND_UNTAGGED, flags, id, connection)
                .memory(stag, 0, length)
                .queue(qn)
                .immediate(rsvdUlp)
                .submit())
        .isTrue();
  }

  void assertError(int detail, String header, int octets) {
    DaemonMessage.StreamFailed failed = event(DaemonMessage.StreamFailed.class);
    assertThat(failed.connection()).isEqualTo(connection);
    assertThat(failed.reason()).isEqualTo(Reason.DDP_ERROR);
    assertThat(failed.detail()).as("type and code").isEqualTo(detail);
    assertThat(failed.header()).isEqualTo(header);
    assertThat(failed.segmentOctets()).isEqualTo(octets);
    assertThat(failed.text()).contains(header);
  }
}
