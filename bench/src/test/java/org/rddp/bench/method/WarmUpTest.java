package org.rddp.bench.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private static final Duration MOST = Duration.ofSeconds(100);

  private long now;
  private long compiled;

  /** A rig whose rounds take a second of the test's clock. */
  private abstract class Clockwork implements Rig {
    int rounds;

    abstract double figure();

    @Override
    public void open(JsonObject arguments) {}

    @Override
    public Sample round(JsonObject task) {
      rounds++;
      now += 1_000_000_000L;
      return Sample.of(Map.of("p50", figure()));
    }

    @Override
    public void close() throws IOException {}
  }

  private WarmUp.Result warmUp(Rig rig) throws Exception {
    return new WarmUp(() -> now += 1_000_000, () -> compiled).run(rig, new JsonObject(), MOST);
  }

  @Test
  void shouldEndOnceRoundsComeToTheSame() throws Exception {
    WarmUp.Result found =
        warmUp(
            new Clockwork() {
              @Override
              double figure() {
                return Math.max(10, 100 - 10 * rounds);
              }
            });
    assertThat(found.steady()).isTrue();
    // Ten from the ninth on.
    assertThat(found.rounds()).isEqualTo(9 + WarmUp.STEADY - 1);
  }

  @Test
  void shouldGoOnWhileSomethingIsCompiled() throws Exception {
    WarmUp.Result found =
        warmUp(
            new Clockwork() {
              @Override
              double figure() {
                compiled += rounds <= 20 ? 5_000_000 : 0;
                return 10;
              }
            });
    assertThat(found.steady()).isTrue();
    assertThat(found.rounds()).isEqualTo(20 + WarmUp.STEADY - 1);
  }

  @Test
  void shouldGiveUpAfterItsTime() throws Exception {
    WarmUp.Result found =
        warmUp(
            new Clockwork() {
              @Override
              double figure() {
                return rounds % 2 == 0 ? 1 : 2;
              }
            });
    assertThat(found.steady()).isFalse();
    assertThat(found.seconds()).isBetween(100.0, 102.0);
  }

  @Test
  void shouldReadHowLongAThreadRan() {
    assertThat(BackgroundWork.ranNanos("123456 789 10\n")).isEqualTo(123456);
    assertThat(BackgroundWork.ranNanos("")).isZero();
  }
}
