package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.CheckReturnValue;

/**
 * Error Prone rejects a program that ignores the result of an annotated method, as the build of
 * this project does; this test holds that no method has been forgotten.
 */
class CheckReturnValueTest {
  private static final List<Class<?>> OWNED =
      List.of(
          Rddp.class,
          Connection.class,
          IncomingConnection.class,
          Listener.class,
          MemoryRegion.class,
          MemoryWindow.class,
          SharedReceiveQueue.class);

  private static Stream<Method> methods(Class<?>... classes) {
    return Stream.of(classes)
        .flatMap(each -> Stream.of(each.getDeclaredMethods()))
        .filter(method -> Modifier.isPublic(method.getModifiers()));
  }

  @Test
  void shouldCoverEveryPost() {
    List<Method> posts =
        methods(
                Connection.class,
                SharedReceiveQueue.class,
                DdpQueues.class,
                Atomics.class,
                LocalOperations.class)
            .filter(method -> method.getReturnType() == boolean.class)
            .filter(method -> !method.getName().startsWith("is"))
            .toList();
    assertThat(posts)
        .hasSizeGreaterThan(30)
        .allMatch(method -> method.isAnnotationPresent(CheckReturnValue.class));
  }

  @Test
  void shouldCoverWhatHasToBeClosed() {
    List<Method> makers =
        methods(Rddp.class, Listener.class, MemoryRegion.class)
            .filter(method -> OWNED.contains(method.getReturnType()))
            .toList();
    assertThat(makers)
        .hasSizeGreaterThan(12)
        .allMatch(method -> method.isAnnotationPresent(CheckReturnValue.class));
  }
}
