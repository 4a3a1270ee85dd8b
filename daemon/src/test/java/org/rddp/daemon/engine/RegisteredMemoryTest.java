package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.WindowKind;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.SubmissionEntry;

/** Windows and invalidations of a program that writes its rings by itself. */
class RegisteredMemoryTest {
  private static final int READ = Access.REMOTE_READ.bit();

  private final SessionFixture fixture = new SessionFixture();
  private final Session session = fixture.session;
  private SessionFixture.Peer peer;
  private int connection;
  private int region;

  @BeforeEach
  void connect() throws RequestRefusedException {
    session.listen(Ipv6Address.UNSPECIFIED, SessionFixture.PORT, 8, ConnectionSettings.RDMAP);
    peer = fixture.peer();
    connection = fixture.requested();
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[0]);
    fixture.run();
    region = fixture.register(Access.LOCAL_WRITE, Access.MW_BIND);
  }

  private void bind(int id, int to, int stag, long offset, long length, int window, long rights) {
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.BIND, 0, id, to)
                .memory(stag, offset, length)
                .remote(window, rights)
                .submit())
        .isTrue();
  }

  @Test
  void shouldRefuseABindOfUnknownMemory() throws RequestRefusedException {
    int window = session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT).number();
    long end = fixture.data.byteSize();
    bind(1, connection, region, 0, 1, window + 1, READ);
    bind(2, connection, region + 1, 0, 1, window, READ);
    bind(3, connection, region, end, 1, window, READ);
    bind(4, connection, region, 0, end + 1, window, READ);
    bind(5, connection, region, Long.MAX_VALUE, Long.MAX_VALUE, window, READ);
    bind(6, connection, region, 0, 0, window, READ);
    bind(7, connection + 1, region, 0, 1, window, READ);
    bind(8, connection, region, 0, end, window, READ);
    fixture.run();
    assertThat(fixture.completions())
        .containsExactly(
            "bind 1 MW_BIND_ERROR",
            "bind 2 MW_BIND_ERROR",
            "bind 3 MW_BIND_ERROR",
            "bind 4 MW_BIND_ERROR",
            "bind 5 MW_BIND_ERROR",
            "bind 6 MW_BIND_ERROR",
            "bind 7 FLUSHED",
            "bind 8 SUCCESS");
    assertThat(fixture.broken).isEmpty();
  }

  @Test
  void shouldBindAWindowWithoutRights() throws RequestRefusedException {
    int window = session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT).number();
    bind(1, connection, region, 0, 1, window, 0);
    fixture.run();
    assertThat(fixture.completions()).containsExactly("bind 1 SUCCESS");
  }

  @ParameterizedTest
  @EnumSource(names = {"REMOTE_WRITE", "REMOTE_ATOMIC"})
  void shouldRefuseRemoteRightsToChangeWithoutLocalWrite(Access right)
      throws RequestRefusedException {
    long address = fixture.data.address();
    assertThatThrownBy(
            () -> session.register(address, 64, Access.bits(right, Access.REMOTE_READ), 0))
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
        .hasMessageContaining("needs LOCAL_WRITE");
    session.deregister(session.register(address, 64, Access.bits(right, Access.LOCAL_WRITE), 0));
  }

  @Test
  @Tag("RDMAP-8.1.1-07")
  void shouldRefuseToLetPeersInvalidateWhatConnectionsShare() throws RequestRefusedException {
    long address = fixture.data.address();
    int rights = Access.bits(Access.REMOTE_INVALIDATE, Access.REMOTE_READ);
    assertThatThrownBy(() -> session.register(address, 64, rights, 0))
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
        .hasMessageContaining("must be for one connection");
    session.deregister(session.register(address, 64, rights, connection));
  }

  @Test
  @Tag("DDP-8.3.1-03")
  @Tag("RDMAP-8.1.1-05")
  void shouldRefuseAWritableWindowOntoAReadOnlyRegion() throws RequestRefusedException {
    int readOnly = fixture.register(Access.MW_BIND);
    int plain = fixture.register(Access.LOCAL_WRITE);
    int window = session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT).number();
    bind(1, connection, readOnly, 0, 1, window, Access.REMOTE_WRITE.bit());
    bind(2, connection, plain, 0, 1, window, READ);
    bind(3, connection, readOnly, 0, 1, window, READ);
    fixture.run();
    assertThat(fixture.completions())
        .containsExactly("bind 1 MW_BIND_ERROR", "bind 2 MW_BIND_ERROR", "bind 3 SUCCESS");
  }

  @Test
  void shouldEndTheSessionOnLocalRightsOfAWindow() throws RequestRefusedException {
    int window = session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT).number();
    bind(1, connection, region, 0, 1, window, Access.LOCAL_WRITE.bit());
    fixture.run();
    assertThat(fixture.broken).hasSize(1);
  }

  @Test
  void shouldInvalidateNothingOfAnotherSession() {
    TaggedBuffers table = fixture.engine.ddp().taggedBuffers();
    long address = fixture.data.address();
    ProtectionDomain other = new ProtectionDomain("other");
    int theirs = table.register(other, null, address, 64, 0, AccessRights.REMOTE_WRITE);
    fixture.rings.claim(1).begin(Opcode.INVALIDATE, 1, 1, connection).remote(theirs, 0).submit();
    fixture.rings.claim(1).begin(Opcode.INVALIDATE, 1, 2, connection).submit();
    fixture.run();
    assertThat(fixture.completions())
        .containsExactly(
            "invalidate 1 LOCAL_PROTECTION_ERROR", "invalidate 2 LOCAL_PROTECTION_ERROR");
    assertThat(table.lookup(theirs)).isNotNull();
  }

  @Test
  void shouldKeepWindowsThatRequestsInWorkName() throws RequestRefusedException {
    SessionWindow window = session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT);
    peer.stream.abort();
    fixture.run();
    SessionFixture.Peer second = fixture.peer();
    int waiting = fixture.requested();
    bind(1, waiting, region, 0, 1, window.number(), READ);
    assertThatThrownBy(() -> session.freeWindow(window.number()))
        .hasMessageContaining("1 binds of the window");
    session.accept(waiting, AcceptSettings.DEFAULTS, new byte[0]);
    fixture.run();
    assertThat(fixture.completions()).containsExactly("bind 1 SUCCESS");
    assertThatThrownBy(() -> session.deregister(region))
        .hasMessageContaining("bound to the region");
    second.stream.abort();
    fixture.run();
    session.deregister(region);
    session.freeWindow(window.number());
    assertThatThrownBy(() -> session.freeWindow(window.number())).hasMessageContaining("no such");
  }

  @Test
  void shouldRefuseABindOfARegionThatWasDeregisteredMeanwhile() throws RequestRefusedException {
    SessionWindow window = session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT);
    SessionFixture.Peer second = fixture.peer();
    int waiting = fixture.requested();
    bind(1, waiting, region, 0, 1, window.number(), READ);
    session.deregister(region);
    session.accept(waiting, AcceptSettings.DEFAULTS, new byte[0]);
    fixture.run();
    assertThat(second.events).contains("established");
    assertThat(fixture.completions()).containsExactly("bind 1 MW_BIND_ERROR");
  }

  @Test
  void shouldLeaveNothingInTheTableOfStags() throws RequestRefusedException {
    SessionWindow window = session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT);
    bind(1, connection, region, 0, 1, window.number(), READ);
    session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT);
    fixture.run();
    assertThat(fixture.engine.ddp().taggedBuffers().size()).isEqualTo(4);
    fixture.engine.end(session);
    assertThat(fixture.engine.ddp().taggedBuffers().size()).isZero();
  }

  /** Whatever it asks for, nothing of the engine breaks, and each request ends once. */
  @Test
  void shouldSurviveProgramsThatBindAndInvalidateAnything() throws RequestRefusedException {
    int[] windows = {
      session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT).number(),
      session.allocateWindow(WindowKind.TYPE_2, ProtectionDomains.DEFAULT).number(),
      session.allocateWindow(WindowKind.TYPE_1, ProtectionDomains.DEFAULT).number(),
      0,
      77
    };
    Random random = new Random(5);
    int ended = 0;
    int posted = 0;
    int stag = 1;
    for (int i = 0; i < 5000; i++) {
      int window = windows[random.nextInt(windows.length)];
      SessionWindow known = session.memory().window(window);
      stag = known == null || random.nextBoolean() ? stag : known.nextStag();
      int length = random.nextInt(70_000);
      int flags = random.nextInt(2) * SendFlags.FENCED;
      boolean bind = random.nextInt(3) > 0;
      SubmissionEntry entry = fixture.rings.claim(1);
      if (entry != null && bind) {
        entry.begin(Opcode.BIND, flags, i, connection).memory(region, 9, length);
        int key = random.nextInt(2) * random.nextInt(256);
        entry.remote(window, 2L * flags).queue(key).immediate(random.nextLong()).submit();
      } else if (entry != null) {
        entry.begin(Opcode.INVALIDATE, 1, i, connection).remote(stag, 0).submit();
      }
      posted += entry != null ? 1 : 0;
      if (random.nextInt(8) == 0) {
        fixture.run();
        ended += fixture.completions().size();
      }
    }
    fixture.run();
    assertThat(ended + fixture.completions().size()).isEqualTo(posted);
    assertThat(fixture.broken).isEmpty();
    assertThat(fixture.engine.ddp().taggedBuffers().size()).isLessThanOrEqualTo(5);
  }
}
