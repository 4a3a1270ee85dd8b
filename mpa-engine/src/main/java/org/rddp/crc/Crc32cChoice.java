package org.rddp.crc;

import java.util.function.UnaryOperator;

/**
 * Which implementation of CRC32c a process uses: chosen once, by what the JVM makes of the CPU,
 * unless system properties say otherwise.
 *
 * <ul>
 *   <li>{@value #IMPLEMENTATION}: {@code auto} (the default), {@code vector}, {@code jdk} or {@code
 *       table}
 *   <li>{@value #FOLD} and {@value #COPY}: octets, see {@link Crc32cThresholds}
 * </ul>
 */
final class Crc32cChoice {
  static final String IMPLEMENTATION = "rddp.crc32c";
  static final String FOLD = "rddp.crc32c.fold";
  static final String COPY = "rddp.crc32c.copy";

  /** An instance for each thread that asks. */
  static final ThreadLocal<Crc32c> OF_THREAD = ThreadLocal.withInitial(Crc32c::create);

  private static Crc32cChoice ofSystem;

  private enum Implementation {
    VECTOR,
    JDK,
    TABLE
  }

  private final Implementation implementation;
  private final Crc32cThresholds thresholds;

  private Crc32cChoice(Implementation implementation, Crc32cThresholds thresholds) {
    this.implementation = implementation;
    this.thresholds = thresholds;
  }

  /** That of this process. */
  static synchronized Crc32cChoice ofSystem() {
    if (ofSystem == null) {
      ofSystem = of(System::getProperty, vectorsAreThere());
    }
    return ofSystem;
  }

  /**
   * The choice that some properties make.
   *
   * @param property the value of a property by its name, null where there is none
   * @param vectors whether there are vectors of 512 bits
   */
  static Crc32cChoice of(UnaryOperator<String> property, boolean vectors) {
    Crc32cThresholds thresholds =
        new Crc32cThresholds(
            octets(property, FOLD, Crc32cThresholds.DEFAULT.fold()),
            octets(property, COPY, Crc32cThresholds.DEFAULT.copy()));
    String asked = property.apply(IMPLEMENTATION);
    return new Crc32cChoice(implementation(asked == null ? "auto" : asked, vectors), thresholds);
  }

  private static Implementation implementation(String asked, boolean vectors) {
    return switch (asked) {
      case "auto" -> vectors ? Implementation.VECTOR : Implementation.JDK;
      case "vector" -> {
        if (!vectors) {
          throw new IllegalStateException(
              IMPLEMENTATION
                  + "=vector: needs vectors of 512 bits, Java 24 and --add-modules"
                  + " jdk.incubator.vector");
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

  private static long octets(UnaryOperator<String> property, String name, long otherwise) {
    String value = property.apply(name);
    if (value == null) {
      return otherwise;
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

  /** Asked before any class is touched that needs the module. */
  static boolean vectorsAreThere() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
        && FoldVectors.available();
  }

  /** A new instance. */
  Crc32c create() {
    return switch (implementation) {
      case VECTOR -> new VectorCrc32c(thresholds);
      case JDK -> new IntrinsicCrc32c();
      case TABLE -> new ScalarCrc32c();
    };
  }
}
