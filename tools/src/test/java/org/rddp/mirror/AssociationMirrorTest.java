package org.rddp.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mirror.XfrmMessages.MULTI;
import static org.rddp.mirror.XfrmMessages.NEWSA;
import static org.rddp.mirror.XfrmMessages.UPDSA;
import static org.rddp.mirror.XfrmMessages.address;
import static org.rddp.mirror.XfrmMessages.gcm;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;

/** The mirror's associations, with a running daemon and the messages of a kernel. */
@Timeout(120)
class AssociationMirrorTest {
  private static final String ONE = "10.0.0.1";
  private static final String TWO = TestDaemon.ADDRESS_TWO;
  private static final int IN = 0x1001;
  private static final int OUT = 0x1002;

  private final TestDaemon daemon = TestDaemon.withIpsec();
  private final Rddp session = daemon.connect("one");
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<byte[]> asked = new ArrayList<>();
  private final List<String> log = new ArrayList<>();
  private final Xfrm xfrm = new Xfrm(Set.of(address(ONE)));
  private final AssociationMirror mirror = new AssociationMirror(session, asked::add, log::add);

  @AfterEach
  void stop() {
    session.close();
    daemon.close();
  }

  private byte[] keys() {
    byte[] keys = new byte[20];
    random.nextBytes(keys);
    return keys;
  }

  private void tell(ByteBuffer message) throws IOException {
    xfrm.read(message, mirror);
    mirror.flush();
  }

  private void begin() throws IOException {
    mirror.begin();
    tell(XfrmMessages.dumped());
    asked.clear();
  }

  private List<String> listed() {
    return session.list(ListSubject.ASSOCIATIONS);
  }

  private static byte[] expire(int spi, String to, boolean hard) {
    return Xfrm.expire(new KernelAssociation.Name(spi, address(to)), hard);
  }

  @Test
  void shouldGiveAndDeleteAssociations() throws IOException {
    begin();
    byte[] keys = keys();
    tell(gcm(UPDSA, 0, IN, TWO, ONE, keys));
    tell(gcm(NEWSA, 0, OUT, ONE, TWO, keys()));
    tell(gcm(NEWSA, 0, OUT, ONE, TWO, keys()));
    assertThat(listed())
        .hasSize(2)
        .anySatisfy(each ->
            assertThat(each).contains("\"in\"", "0x00001001", "aes128gcm16", "\"esn\":true"))
        .anySatisfy(each -> assertThat(each).contains("\"out\"", "0x00001002"));
    tell(XfrmMessages.deleted(OUT, TWO));
    assertThat(listed()).hasSize(1);
    tell(XfrmMessages.expired(IN, TWO, ONE, false));
    assertThat(listed()).as("a soft lifetime").hasSize(1);
    tell(XfrmMessages.expired(IN, TWO, ONE, true));
    tell(XfrmMessages.deleted(IN, ONE));
    assertThat(listed()).isEmpty();
    tell(gcm(NEWSA, 0, OUT + 1, ONE, TWO, keys()));
    tell(XfrmMessages.flushed());
    assertThat(listed()).isEmpty();
    assertThat(asked).isEmpty();
    assertThat(log.toString() + daemon.log()).doesNotContain(HexFormat.of().formatHex(keys, 4, 12));
  }

  @Test
  void shouldEndAssociationsThatWereThereBeforeTheDaemon() throws IOException {
    mirror.begin();
    assertThat(asked).containsExactly(Xfrm.dump());
    byte[] keys = keys();
    tell(gcm(NEWSA, MULTI, OUT, ONE, TWO, keys));
    tell(gcm(UPDSA, 0, IN, TWO, ONE, keys()));
    tell(XfrmMessages.dumped());
    tell(gcm(NEWSA, 0, OUT, ONE, TWO, keys));
    assertThat(listed()).isEmpty();
    assertThat(asked).hasSize(3);
    assertThat(asked.get(1)).isEqualTo(expire(OUT, TWO, true));
    assertThat(asked.get(2)).isEqualTo(expire(IN, ONE, true));
    tell(XfrmMessages.expired(OUT, ONE, TWO, true));
    tell(gcm(NEWSA, 0, OUT, ONE, TWO, keys()));
    assertThat(listed()).as("a new one with the same SPI").hasSize(1);
  }

  @Test
  void shouldEndThemAlsoIfTheKernelHasDroppedThem() throws IOException {
    mirror.begin();
    mirror.onLost();
    tell(XfrmMessages.dumped());
    assertThat(asked).containsExactly(Xfrm.dump(), Xfrm.dump());
    tell(gcm(NEWSA, MULTI, OUT, ONE, TWO, keys()));
    tell(XfrmMessages.dumped());
    assertThat(listed()).isEmpty();
    assertThat(asked).hasSize(3);
    assertThat(asked.getLast()).isEqualTo(expire(OUT, TWO, true));
    tell(gcm(NEWSA, 0, OUT + 1, ONE, TWO, keys()));
    assertThat(listed()).hasSize(1);
  }

  @Test
  void shouldDeleteWhatAnEarlierMirrorHasLeft() throws IOException {
    begin();
    tell(gcm(NEWSA, 0, OUT, ONE, TWO, keys()));
    new AssociationMirror(session, asked::add, log::add).begin();
    assertThat(listed()).isEmpty();
  }

  @Test
  void shouldAskForAllAfterLostEvents() throws IOException {
    begin();
    byte[] kept = keys();
    tell(gcm(NEWSA, 0, OUT, ONE, TWO, kept));
    tell(gcm(NEWSA, 0, IN, TWO, ONE, keys()));
    mirror.onLost();
    mirror.onLost();
    mirror.flush();
    assertThat(asked).as("one at a time").containsExactly(Xfrm.dump());
    tell(gcm(NEWSA, MULTI, OUT, ONE, TWO, kept));
    tell(gcm(NEWSA, MULTI, IN + 8, TWO, ONE, keys()));
    tell(XfrmMessages.dumped());
    assertThat(asked).as("the second loss").hasSize(2);
    assertThat(listed())
        .hasSize(2)
        .anySatisfy(each -> assertThat(each).contains("0x00001002"))
        .anySatisfy(each -> assertThat(each).contains("0x00001009"));
    tell(XfrmMessages.dumped());
    assertThat(listed()).isEmpty();
  }

  @Test
  void shouldSayWhatIsRefused() throws IOException {
    begin();
    byte[] keys = keys();
    tell(gcm(NEWSA, 0, OUT, ONE, TWO, keys));
    tell(gcm(NEWSA, 0, OUT + 2, ONE, TWO, keys));
    tell(gcm(NEWSA, 0, IN, TWO, ONE, new byte[20]));
    assertThat(listed()).hasSize(1);
    assertThat(log.toString())
        .contains("0x00001004 to 10.0.0.2: the daemon refused: these keys were used before")
        .contains("0x00001001 to 10.0.0.1 cannot be used: the kernel hides its keys");
  }

  @Test
  void shouldTellTheKernelWhatTheDaemonCounts() throws IOException {
    begin();
    tell(XfrmMessages.limits(gcm(NEWSA, 0, OUT, ONE, TWO, keys()), 10, 1 << 20, 0, 0));
    mirror.watchLifetimes();
    assertThat(asked).isEmpty();
    assertThatThrownBy(() ->
            session.connect(
                new InetSocketAddress(TWO, 1), PrivateData.NONE, Duration.ofMillis(200)))
        .isNotNull();
    TestDaemon.await(() -> listed().getFirst().contains("\"replace\""), "a SYN was sent in it");
    mirror.watchLifetimes();
    mirror.watchLifetimes();
    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst()).isEqualTo(expire(OUT, TWO, false));
    tell(XfrmMessages.deleted(OUT, TWO));
    tell(XfrmMessages.limits(gcm(NEWSA, 0, OUT, ONE, TWO, keys()), 1, 10, 0, 0));
    assertThatThrownBy(() ->
            session.connect(
                new InetSocketAddress(TWO, 1), PrivateData.NONE, Duration.ofMillis(200)))
        .isNotNull();
    TestDaemon.await(() -> listed().getFirst().contains("\"over\""), "a SYN was sent in it");
    asked.clear();
    mirror.watchLifetimes();
    mirror.watchLifetimes();
    assertThat(asked).hasSize(1);
    assertThat(asked.getFirst()).isEqualTo(expire(OUT, TWO, true));
  }
}
