package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.ipc.ring.ConnectionId;

/** Things by number. */
class NumberTableTest {
  private final NumberTable<String> table = new NumberTable<>();

  private int add(String thing) {
    int number = table.reserve();
    table.add(number, thing);
    return number;
  }

  @Test
  void shouldAgreeWithAMap() {
    SplittableRandom random = new SplittableRandom(1);
    Map<Integer, String> model = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      if (model.isEmpty() || random.nextInt(100) < (i < 10_000 ? 55 : 45)) {
        String thing = "thing " + i;
        assertThat(model.put(add(thing), thing)).as("a number in use").isNull();
      } else {
        int number = model.keySet().iterator().next();
        assertThat(table.get(number)).isEqualTo(model.remove(number));
        table.remove(number);
        assertThat(table.get(number)).isNull();
      }
      assertThat(table.size()).isEqualTo(model.size());
      table.prefetch(random.nextInt());
    }
    Map<String, Boolean> shown = new HashMap<>();
    table.forEach(thing -> assertThat(shown.put(thing, true)).isNull());
    assertThat(shown.keySet()).containsExactlyInAnyOrderElementsOf(model.values());
  }

  @Test
  void shouldReuseFreeIndices() {
    int first = add("first");
    for (int i = 0; i < 1000; i++) {
      int number = add("next");
      assertThat(ConnectionId.index(number)).isEqualTo(1);
      table.remove(number);
    }
    assertThat(table.get(first)).isEqualTo("first");
  }

  @Test
  void shouldReserveTheSameIndexUntilItIsUsed() {
    int forgotten = table.reserve();
    int used = add("thing");
    assertThat(ConnectionId.index(used)).isEqualTo(ConnectionId.index(forgotten));
    assertThat(table.get(forgotten)).isNull();
  }

  @Test
  void shouldNotRemoveAnObjectTwice() {
    int number = add("thing");
    table.remove(number);
    assertThatThrownBy(() -> table.remove(number)).hasMessageContaining("nothing has number");
    int next = add("next");
    assertThatThrownBy(() -> table.remove(number)).hasMessageContaining("nothing has number");
    assertThatThrownBy(() -> table.add(next, "again")).hasMessageContaining("not the one reserved");
    assertThat(table.size()).isEqualTo(1);
  }
}
