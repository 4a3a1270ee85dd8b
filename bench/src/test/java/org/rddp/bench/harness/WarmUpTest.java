package org.rddp.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private static final Duration MOST = Duration.ofSeconds(30);

  private long now;
  private long compiled;
  private long tryingUntil;

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
    return new WarmUp(() -> now += 1_000_000, () -> compiled, () -> now < tryingUntil)
        .run(rig, new JsonObject(), MOST);
  }

  @Test
  void shouldEndOnceRoundsComeToTheSame() throws Exception {
    WarmUp.Result found =
        warmUp(
            new Clockwork() {
              @Override
              double figure() {
                return rounds < 9 ? 1 << (12 - rounds) : 10;
              }
            });
    assertThat(found.steady()).isTrue();
    // Ten from the ninth on: the second of three before decides.
    assertThat(found.rounds()).isEqualTo(9 + 2 * WarmUp.STEADY - 2);
  }

  @Test
  void shouldBeginOnceVectorsHaveBeenTried() throws Exception {
    tryingUntil = 50_000_000;
    List<Long> begun = new ArrayList<>();
    warmUp(
        new Clockwork() {
          @Override
          double figure() {
            begun.add(now);
            return 10;
          }
        });
    assertThat(begun).isNotEmpty().allMatch(each -> each > tryingUntil);
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
                return rounds;
              }
            });
    assertThat(found.steady()).isFalse();
    assertThat(found.seconds()).isBetween(30.0, 32.0);
  }

  @Test
  void shouldReadHowLongAThreadRan() {
    assertThat(BackgroundWork.ranNanos("123456 789 10\n")).isEqualTo(123456);
    assertThat(BackgroundWork.ranNanos("")).isZero();
  }
}
