package org.rddp.ipc.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class TimeSliceTest {
  private static <T> T on(Thread.Builder builder, FutureTask<T> task)
      throws ExecutionException, InterruptedException {
    builder.start(task).join();
    return task.get();
  }

  /** Linux tells the length of slices from 6.12 on; before, there is nothing to set. */
  @Test
  void shouldShortenTheSlicesOfTheThreadOnly() throws Exception {
    long before = TimeSlice.current();
    long after =
        on(
            Thread.ofPlatform(),
            new FutureTask<>(() -> {
              assertThat(TimeSlice.shorten()).isTrue();
              return TimeSlice.current();
            }));
    assertThat(after).isEqualTo(before == 0 ? 0 : TimeSlice.SHORTEST);
    assertThat(TimeSlice.current()).isEqualTo(before);
  }

  /** Threads that it starts later have the usual slices, as somebody has wanted it before. */
  @Test
  void shouldLeaveToThreadsThatItStartsWhatTheyWouldHaveHad() throws Exception {
    FutureTask<Long> ofItsThread = new FutureTask<>(TimeSlice::current);
    FutureTask<Long> after =
        new FutureTask<>(() -> {
          assertThat(TimeSlice.shortenAlone()).isTrue();
          assertThat(TimeSlice.shorten()).isTrue();
          return on(Thread.ofPlatform(), ofItsThread);
        });
    // This thread may have short ones from other tests, so what it has says nothing.
    assertThat(on(Thread.ofPlatform(), after)).isNotEqualTo(TimeSlice.SHORTEST);
  }

  @Test
  void shouldShortenThemOnce() throws Exception {
    assumeThat(ThreadScheduling.isFiltered()).isFalse();
    FutureTask<Long> after =
        new FutureTask<>(() -> {
          TimeSlice.shortenOnce();
          TimeSlice.shortenOnce();
          return TimeSlice.current();
        });
    assertThat(on(Thread.ofPlatform(), after))
        .isEqualTo(TimeSlice.current() == 0 ? 0 : TimeSlice.SHORTEST);
  }

  @Test
  void shouldLeaveTheThreadsOfVirtualThreadsAlone() throws Exception {
    assertThat(on(Thread.ofVirtual(), new FutureTask<>(TimeSlice::shorten))).isFalse();
  }

  /** Otherwise the kernel kills it, with exit status 159. */
  @Test
  void shouldLeaveAProcessWithAFilterOfSystemCallsAlone() throws Exception {
    assertThat(FilteredProcess.start().waitFor()).isZero();
  }
}
