package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SentNumbersTest {
  private static final long LAST_WITHOUT_ESN = 0xffff_ffffL;

  @Test
  @DisplayName("RFC 4303 3.3.3: several threads get each number once, up to the last")
  void shouldGiveEachNumberOnce() throws Exception {
    int left = 100_000;
    SentNumbers numbers = new SentNumbers(false, LAST_WITHOUT_ESN - left);
    CyclicBarrier start = new CyclicBarrier(3);
    Callable<long[]> taking =
        () -> {
          start.await();
          LongStream.Builder taken = LongStream.builder();
          for (long number = numbers.next(); number != SentNumbers.NONE; number = numbers.next()) {
            taken.add(number);
          }
          return taken.build().toArray();
        };
    List<Future<long[]>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      for (int i = 0; i < 3; i++) {
        all.add(threads.submit(taking));
      }
    }
    LongStream taken = LongStream.empty();
    for (Future<long[]> each : all) {
      taken = LongStream.concat(taken, LongStream.of(each.get()));
    }
    assertThat(taken.sorted().toArray())
        .isEqualTo(LongStream.rangeClosed(LAST_WITHOUT_ESN - left + 1, LAST_WITHOUT_ESN).toArray());
    assertThat(numbers.left()).isZero();
    assertThat(numbers.packets()).isEqualTo(left);
  }

  @Test
  void shouldGoToTheLastNumberOf64Bits() {
    SentNumbers numbers = new SentNumbers(true, -3);
    assertThat(numbers.next()).isEqualTo(-2);
    assertThat(numbers.next()).isEqualTo(-1);
    assertThat(numbers.left()).isZero();
    assertThat(numbers.next()).isEqualTo(SentNumbers.NONE);
    assertThat(numbers.next()).isEqualTo(SentNumbers.NONE);
    assertThat(numbers.sequence()).isEqualTo(-1);
  }
}
