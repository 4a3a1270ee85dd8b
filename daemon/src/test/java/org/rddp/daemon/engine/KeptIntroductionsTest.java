package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Introductions that are kept, since no queue pair expects them yet. */
class KeptIntroductionsTest {
  private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long KEPT = TimeUnit.SECONDS.toNanos(4);
  private static final int MOST = 1024;

  private final SessionFixture fixture = new SessionFixture();

  private int number() throws RequestRefusedException {
    return fixture.numbers.create(fixture.session, 0, Integer.MAX_VALUE);
  }

  private SessionFixture.Peer introduce(int from, int to) {
    return fixture.peer(new Introduction(from, to, 1, 2));
  }

  private EngineCounters counters() {
    return fixture.engine.counters();
  }

  @Test
  void shouldExpireAfterSomeSeconds() throws RequestRefusedException {
    int number = number();
    for (int i = 1; i < 4; i++) {
      SessionFixture.Peer peer = introduce(7, number);
      fixture.run();
      assertThat(counters().introductionsKept).isEqualTo(i);
      fixture.pass(KEPT - MILLISECOND);
      fixture.run();
      assertThat(peer.events).isEmpty();
      fixture.pass(MILLISECOND + Deadlines.PERIOD);
      fixture.run();
      assertThat(peer.events).isNotEmpty().doesNotContain("established").endsWith("closed");
      assertThat(counters().introductionsExpired).isEqualTo(i);
    }
    assertThat(counters().introductionsRefused).isZero();
  }

  @Test
  void shouldBeKeptUpToANumberForASession() throws RequestRefusedException {
    List<SessionFixture.Peer> kept = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      kept.add(introduce(i, number()));
      fixture.run();
    }
    assertThat(counters().introductionsKept).isEqualTo(MOST);
    SessionFixture.Peer late = introduce(MOST, number());
    fixture.run();
    assertThat(late.events).endsWith("closed");
    assertThat(counters().introductionsRefused).isEqualTo(1);
    assertThat(kept).allSatisfy(each -> assertThat(each.events).isEmpty());
    fixture.pass(KEPT);
    fixture.run();
    assertThat(counters().introductionsExpired).isEqualTo(MOST);
    introduce(MOST, number());
    fixture.run();
    assertThat(counters().introductionsKept).isEqualTo(MOST + 1);
  }

  @Test
  void shouldGiveWayToALaterOneOfTheSamePeerOnly() throws RequestRefusedException {
    int number = number();
    SessionFixture.Peer first = introduce(7, number);
    fixture.run();
    SessionFixture.Peer other = introduce(8, number);
    fixture.run();
    assertThat(other.events).endsWith("closed");
    assertThat(first.events).isEmpty();
    introduce(7, number);
    fixture.run();
    assertThat(first.events).endsWith("closed");
    assertThat(counters().introductionsKept).isEqualTo(2);
  }
}
