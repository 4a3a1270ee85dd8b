package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.device.NativePacketPool;
import org.rddp.device.ScriptedDevice;
import org.rddp.group.StackGroup;

/** Entries of path MTUs and their lifetime. */
class PathMtusTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int FAR = Ipv4Address.parse("192.0.2.7").bits();

  private final List<String> heard = new ArrayList<>();
  private final IpLayer ip = layer(1500);

  private IpLayer layer(int mtu) {
    return new IpLayer(
        new ScriptedDevice(new NativePacketPool(16, 2048), mtu),
        new InterfaceAddress(Ipv4Address.parse("192.0.2.1"), 8),
        StackGroup.alone(),
        new PathListener(heard),
        new SplittableRandom(1));
  }

  private void lower(int remote, int octets, long now) {
    ip.path(remote).lowerMtu(octets, now);
  }

  private int get(int remote) {
    return ip.path(remote).mtu();
  }

  @Test
  @DisplayName("RFC 1191 3: the MTU of a path is the link's unless a lower one is known")
  void shouldBeginWithTheLink() {
    assertThat(get(FAR)).isEqualTo(1500);
    lower(FAR, 1400, 0);
    assertThat(get(FAR)).isEqualTo(1400);
    assertThat(get(FAR + 1)).isEqualTo(1500);
  }

  @Test
  @DisplayName("RFC 1191 3: a message never raises the MTU of a path")
  void shouldNeverRaise() {
    lower(FAR, 1200, 0);
    lower(FAR, 1300, 1);
    lower(FAR, 9000, 2);
    assertThat(get(FAR)).isEqualTo(1200);
    assertThat(ip.nextDeadline()).isEqualTo(600 * SECOND);
  }

  @Test
  @DisplayName("RFC 1191 6.3: ten minutes after it was lowered a path may carry more again")
  void shouldForgetAfterTenMinutes() {
    lower(FAR, 1200, 0);
    lower(FAR + 1, 1400, 5 * SECOND);
    lower(FAR, 1100, 10 * SECOND);
    assertThat(ip.advance(604 * SECOND)).isZero();
    assertThat(ip.advance(605 * SECOND)).isEqualTo(1);
    assertThat(get(FAR + 1)).isEqualTo(1500);
    assertThat(get(FAR)).isEqualTo(1100);
    assertThat(ip.nextDeadline()).isEqualTo(610 * SECOND);
    assertThat(ip.advance(610 * SECOND)).isEqualTo(1);
    assertThat(heard).containsExactly("192.0.2.8 1500", "192.0.2.7 1500");
    assertThat(ip.nextDeadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  @DisplayName("RFC 5927 7.2: however many paths are lowered, 1024 are remembered")
  void shouldRememberOnlySoMany() {
    for (int i = 0; i < 1025; i++) {
      lower(FAR + i, 1000, i);
    }
    assertThat(heard).containsExactly("192.0.2.7 1500");
    assertThat(get(FAR)).isEqualTo(1500);
    assertThat(get(FAR + 1)).isEqualTo(1000);
    assertThat(ip.nextDeadline()).isEqualTo(600 * SECOND + 1);
  }

  @Test
  @DisplayName("RFC 1191 3: no path is accepted to carry less than 296 octets")
  void shouldHaveAFloor() {
    lower(FAR, 68, 0);
    assertThat(get(FAR)).isEqualTo(296);
    Path narrow = layer(200).path(FAR);
    narrow.lowerMtu(68, 0);
    assertThat(narrow.mtu()).isEqualTo(200);
  }

  @ParameterizedTest
  @DisplayName("RFC 1191 5 and 7.1: an old router names no MTU, so the next plateau is tried")
  @CsvSource({
    "0, 9000, 8166", "0, 1500, 1492", "0, 1492, 1006", "0, 1006, 508", "0, 508, 296",
    "0, 296, 296", "0, 40, 296", "0, 65535, 32000", "1400, 1500, 1400", "20, 1500, 296"
  })
  void shouldFindWhatIsClaimed(int nextHopMtu, int quoted, int claimed) {
    assertThat(PathMtus.claimed(nextHopMtu, quoted)).isEqualTo(claimed);
  }
}
