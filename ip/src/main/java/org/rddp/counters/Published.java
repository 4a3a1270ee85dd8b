package org.rddp.counters;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Publishes a field of counters, a {@code long} or a {@link java.util.concurrent.atomic.LongAdder}:
 * {@code rddp stat} shows it by its name, behind the interface's and a point, and metrics by its
 * name behind {@code rddp_}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Published {
  /** Words of lower case, joined by {@code _}: the layer, what is counted, and its unit. */
  String name();

  /** What is counted: a sentence. */
  String help();

  /** Whether the value also falls. */
  boolean gauge() default false;
}
