package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Reason;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;

/** Octet streams that cannot be made: nothing is left of them. */
class FailedStreamTest {
  private static final HostAddress ELSEWHERE = Ipv4Address.parse("192.0.2.1");

  private final OctetStreamFixture fixture = new OctetStreamFixture();

  private Reason connect(StreamParts parts, HostAddress to) {
    return catchThrowableOfType(
            RequestRefusedException.class,
            () ->
                fixture
                    .engine
                    .streams()
                    .connect(parts, to, OctetStreamFixture.PORT, 0, TimeUnit.SECONDS.toNanos(1)))
        .reason();
  }

  private void assertNothingLeft() {
    assertThat(fixture.engine.streams().count()).isZero();
    assertThat(fixture.section.isEmpty()).isTrue();
  }

  @Test
  void shouldLeaveNothingOfAStreamToAHostWithoutARoute() {
    assertThat(connect(fixture.parts(), ELSEWHERE)).isEqualTo(Reason.UNREACHABLE);
    assertNothingLeft();
    // The parts are the caller's, which gives them back.
    assertThat(fixture.released).isEmpty();
  }

  @Test
  void shouldLeaveNothingOfAStreamWhoseSocketCannotBeWatched() {
    StreamParts parts = fixture.parts();
    parts.socket().close();
    assertThat(connect(parts, OctetStreamFixture.THEIRS)).isEqualTo(Reason.LIMIT);
    assertNothingLeft();
    assertThat(fixture.engine.tcp().connections()).isZero();
  }

  @Test
  void shouldResetAPeerWhoseStreamCannotBeWatched() {
    fixture.mayWatch = false;
    OctetStreamFixture.Peer peer = fixture.peer();
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
    assertThat(fixture.unused).hasSize(1);
    assertNothingLeft();
    assertThat(fixture.listener.waiting()).isZero();
  }

  @Test
  void shouldResetWhatCannotBeOfferedToAnother() {
    OctetStreamFixture.Peer peer = fixture.peer();
    fixture.run();
    OctetStream stream = fixture.offered.remove();
    stream.parts().programSocket().close();
    fixture.run();
    assertThat(fixture.listener.enter()).isTrue();
    StreamParts next = fixture.parts();
    next.socket().close();
    assertThat(stream.replace(next, fixture.listener)).isFalse();
    fixture.listener.leave();
    fixture.run();
    assertThat(peer.events).endsWith("closed RESET");
    assertThat(fixture.released).containsExactly(stream);
    assertThat(stream.parts()).isNotSameAs(next);
    assertNothingLeft();
    assertThat(fixture.listener.waiting()).isZero();
  }

  @Test
  void shouldWaitOnceWhereItIsOfferedAgain() throws Exception {
    fixture.peer();
    fixture.run();
    OctetStream stream = fixture.offered.remove();
    stream.parts().programSocket().close();
    fixture.run();
    assertThat(fixture.listener.enter()).isTrue();
    assertThat(stream.replace(fixture.parts(), fixture.listener)).isTrue();
    assertThat(fixture.listener.waiting()).isOne();
    fixture.accept();
    fixture.run();
    assertThat(fixture.listener.waiting()).isZero();
  }
}
