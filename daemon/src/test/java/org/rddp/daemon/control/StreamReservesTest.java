package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamSection;

/** When what ended streams have left is given back. */
class StreamReservesTest {
  private static final int USER = 1000;

  private final Queue<Runnable> timer = new ArrayDeque<>();
  private final List<StreamReserve> emptied = new ArrayList<>();
  private final StreamReserves reserves = new StreamReserves(this::after, this::empty);
  private final StreamSection section =
      new StreamSection(null, 0, SessionOwner.unlimited(), null, Runnable::run);

  private void after(long nanos, Runnable task) {
    assertThat(nanos).isEqualTo(StreamReserves.IDLE);
    timer.add(task);
  }

  private void empty(StreamReserve reserve) {
    assertThat(reserve.takeAll()).isNotEmpty();
    emptied.add(reserve);
  }

  private StreamReserve reserve(int user, int count) {
    StreamReserve made = new StreamReserve();
    made.add(section);
    for (int i = 0; i < count; i++) {
      made.add(new StreamParts(section, i, i, null, null, null, i, true));
      reserves.add(made, user);
    }
    return made;
  }

  /** The only timer expires. */
  private void pass() {
    Runnable task = timer.remove();
    assertThat(timer).isEmpty();
    task.run();
  }

  @Test
  void shouldGiveBackWhatHasNotBeenUsedForAWhile() {
    StreamReserve idle = reserve(USER, 2);
    StreamReserve used = reserve(USER, 2);
    pass();
    assertThat(emptied).isEmpty();
    assertThat(used.take(section)).isNotNull();
    pass();
    assertThat(emptied).containsExactly(idle);
    pass();
    assertThat(emptied).containsExactly(idle, used);
    assertThat(timer).isEmpty();
  }

  @Test
  void shouldLookAgainAtWhatComesLater() {
    StreamReserve reserve = reserve(USER, 1);
    pass();
    pass();
    reserve.add(new StreamParts(section, 0, 0, null, null, null, 0, true));
    reserves.add(reserve, USER);
    pass();
    pass();
    assertThat(emptied).containsExactly(reserve, reserve);
  }

  @Test
  void shouldCountWhatIsKeptForAllProgramsOfAUser() {
    StreamReserve one = reserve(USER, 2);
    reserve(USER, 3);
    reserve(USER + 1, 4);
    assertThat(reserves.count(USER)).isEqualTo(5);
    reserves.remove(one);
    assertThat(reserves.count(USER)).isEqualTo(3);
    assertThat(reserves.count(0)).isZero();
  }
}
