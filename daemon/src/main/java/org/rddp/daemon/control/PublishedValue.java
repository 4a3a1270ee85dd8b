package org.rddp.daemon.control;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import org.rddp.counters.Published;

/**
 * A value that the daemon publishes.
 *
 * @param <T> what it is read from
 * @param name its only name: in {@code rddp stat} and, behind {@code rddp_}, in metrics
 * @param isGauge whether it also falls
 * @param help what it is: a sentence
 * @param value reads it, on the control thread
 */
public record PublishedValue<T>(
    String name, boolean isGauge, String help, ToLongFunction<T> value) {

  /** A value that only grows while the daemon runs. */
  public static <T> PublishedValue<T> counter(String name, String help, ToLongFunction<T> value) {
    return new PublishedValue<>(name, false, help, value);
  }

  /** A value that rises and falls. */
  public static <T> PublishedValue<T> gauge(String name, String help, ToLongFunction<T> value) {
    return new PublishedValue<>(name, true, help, value);
  }

  /** The fields of a class of counters that are {@link Published}, in their order. */
  public static <T> List<PublishedValue<T>> fieldsOf(Class<T> type) {
    List<PublishedValue<T>> values = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      Published published = field.getAnnotation(Published.class);
      if (published != null) {
        values.add(
            new PublishedValue<>(
                published.name(), published.gauge(), published.help(), reader(type, field)));
      }
    }
    return values;
  }

  private static <T> ToLongFunction<T> reader(Class<T> type, Field field) {
    VarHandle handle;
    try {
      handle =
          MethodHandles.privateLookupIn(type, MethodHandles.lookup()).unreflectVarHandle(field);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
    return field.getType() == LongAdder.class
        ? counters -> ((LongAdder) handle.get(counters)).sum()
        : counters -> (long) handle.get(counters);
  }
}
