package org.rddp.cli;

import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads numbers from the command line. Picocli's own messages name Java's types. */
final class Numbers {
  private Numbers() {}

  /** Makes a command line read its options of int, long and double by this class. */
  static void addTo(CommandLine line) {
    line.registerConverter(int.class, converter(Integer::valueOf, "a whole number below 2^31"))
        .registerConverter(long.class, converter(Long::valueOf, "a whole number below 2^63"))
        .registerConverter(double.class, converter(Double::valueOf, "a number"));
  }

  private static <T> ITypeConverter<T> converter(Function<String, T> parse, String expected) {
    return text -> {
      try {
        return parse.apply(text);
      } catch (NumberFormatException e) {
        throw new TypeConversionException("'" + text + "' is not " + expected);
      }
    };
  }
}
