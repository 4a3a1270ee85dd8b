package org.rddp.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A connection as a user names it: {@code 00100000} or {@code 00100000@4711}.
 *
 * @param number hexadecimal, as programs and the log show it
 * @param process id of the process whose connection it is; 0: any
 */
record ConnectionNumber(int number, long process) {
  /** Converts it from the command line. */
  static final class Converter implements ITypeConverter<ConnectionNumber> {
    @Override
    public ConnectionNumber convert(String text) {
      int at = text.indexOf('@');
      try {
        return at < 0
            ? new ConnectionNumber(Integer.parseUnsignedInt(text, 16), 0)
            : new ConnectionNumber(
                Integer.parseUnsignedInt(text, 0, at, 16),
                Integer.parseInt(text, at + 1, text.length(), 10));
      } catch (NumberFormatException e) {
        throw new TypeConversionException(
            "'"
                + text
                + "' is not the number of a connection: eight hexadecimal digits, as programs print"
                + " it, and @PID if several programs have that number");
      }
    }
  }
}
