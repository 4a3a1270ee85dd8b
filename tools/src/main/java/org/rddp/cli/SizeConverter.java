package org.rddp.cli;

import org.rddp.daemon.configuration.SizeText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts a size such as {@code 64KiB} from the command line. */
final class SizeConverter implements ITypeConverter<Long> {
  @Override
  public Long convert(String text) {
    try {
      return SizeText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
