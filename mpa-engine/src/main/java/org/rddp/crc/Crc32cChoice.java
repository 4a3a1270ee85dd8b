package org.rddp.crc;

import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.rddp.wire.VectorModule;

/**
 * Chooses a process's implementation of CRC32c, once: by the instructions that the JVM can use, or
 * by system properties.
 *
 * <ul>
 *   <li>{@value #IMPLEMENTATION}: {@code auto} (the default: vectors if available, once a {@link
 *       FoldTrial} has succeeded), {@code vector} (vectors at once), {@code jdk} or {@code table}
 *   <li>{@value #FOLD} and {@value #COPY}: thresholds in octets that replace the trial's; see
 *       {@link Crc32cThresholds}
 * </ul>
 */
final class Crc32cChoice {
  static final String IMPLEMENTATION = "rddp.crc32c";
  static final String FOLD = "rddp.crc32c.fold";
  static final String COPY = "rddp.crc32c.copy";

  /** One instance per thread. */
  static final ThreadLocal<Crc32c> OF_THREAD = ThreadLocal.withInitial(Crc32c::create);

  private static Crc32cChoice ofSystem;

  private enum Implementation {
    TRIED_VECTOR,
    VECTOR,
    JDK,
    TABLE
  }

  private final Implementation implementation;
  private final long fold;
  private final long copy;
  private final Crossover crossover;

  private Crc32cChoice(Implementation implementation, long fold, long copy) {
    this.implementation = implementation;
    this.fold = fold;
    this.copy = copy;
    this.crossover =
        implementation == Implementation.VECTOR
            ? Crossover.at(
                new Crc32cThresholds(
                    fold != 0 ? fold : Crc32cThresholds.DEFAULT.fold(),
                    copy != 0 ? copy : Crc32cThresholds.DEFAULT.copy()))
            : new Crossover();
  }

  /** This process's choice. */
  static synchronized Crc32cChoice ofSystem() {
    if (ofSystem == null) {
      ofSystem = of(System::getProperty, vectorsAreThere());
    }
    return ofSystem;
  }

  /**
   * The choice for given properties.
   *
   * @param property returns the value of a property by name, null if it is not set
   * @param vectors whether 512-bit vectors are available
   */
  static Crc32cChoice of(UnaryOperator<String> property, boolean vectors) {
    String asked = property.apply(IMPLEMENTATION);
    return new Crc32cChoice(
        implementation(asked == null ? "auto" : asked, vectors),
        octets(property, FOLD),
        octets(property, COPY));
  }

  private static Implementation implementation(String asked, boolean vectors) {
    return switch (asked) {
      case "auto" -> vectors ? Implementation.TRIED_VECTOR : Implementation.JDK;
      case "vector" -> {
        if (!vectors) {
          throw new IllegalStateException(
              IMPLEMENTATION
                  + "=vector: needs vectors of 512 bits, Java 24, and the module"
                  + " jdk.incubator.vector: --add-exports"
                  + " java.base/jdk.internal.module=ALL-UNNAMED, or --add-modules for it");
        }
        yield Implementation.VECTOR;
      }
      case "jdk" -> Implementation.JDK;
      case "table" -> Implementation.TABLE;
      default ->
          throw new IllegalArgumentException(
              IMPLEMENTATION + "=" + asked + ": must be auto, vector, jdk or table");
    };
  }

  /** The property's value in octets; 0 if it is not set. */
  private static long octets(UnaryOperator<String> property, String name) {
    String value = property.apply(name);
    if (value == null) {
      return 0;
    }
    if (!value.matches("[0-9]{1,18}") || Long.parseLong(value) < Crc32cThresholds.SHORTEST) {
      throw new IllegalArgumentException(
          name
              + "="
              + value
              + ": must be a number of octets, "
              + Crc32cThresholds.SHORTEST
              + " or more");
    }
    return Long.parseLong(value);
  }

  /**
   * Whether the JVM has 512-bit vectors; checks for the incubator module before a class that needs
   * it is loaded.
   */
  static boolean vectorsAreThere() {
    return VectorModule.isPresent() && FoldVectors.available();
  }

  /** The trial if one is needed, otherwise a task that does nothing. */
  Runnable trial(LongSupplier clock, Runnable pause) {
    return implementation == Implementation.TRIED_VECTOR
        ? new FoldTrial(crossover, fold, copy, clock, pause)
        : () -> {};
  }

  @Override
  public String toString() {
    return switch (implementation) {
      case TRIED_VECTOR, VECTOR -> "512-bit vectors: " + crossover;
      case JDK -> "the JDK's";
      case TABLE -> "by table";
    };
  }

  /** Creates an instance. */
  Crc32c create() {
    return switch (implementation) {
      case TRIED_VECTOR, VECTOR -> new VectorCrc32c(crossover);
      case JDK -> new IntrinsicCrc32c();
      case TABLE -> new ScalarCrc32c();
    };
  }
}
