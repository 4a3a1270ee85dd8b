package org.rddp.daemon.log;

/**
 * Errors that differ only by numbers are the same error. A number is a word of hexadecimal digits
 * with a decimal digit among them, or the decimal digits of another word.
 */
final class ErrorPattern {
  private static final char NUMBER = '#';

  private ErrorPattern() {}

  /** The text with {@code #} for each number. */
  static String of(String text) {
    StringBuilder pattern = new StringBuilder(text.length());
    int at = 0;
    while (at < text.length()) {
      int end = at;
      while (end < text.length() && Character.isLetterOrDigit(text.charAt(end))) {
        end++;
      }
      if (end == at) {
        pattern.append(text.charAt(at));
        at++;
      } else {
        appendWord(pattern, text, at, end);
        at = end;
      }
    }
    return pattern.toString();
  }

  private static void appendWord(StringBuilder pattern, String text, int from, int to) {
    boolean hexadecimal = true;
    boolean number = false;
    for (int i = from; i < to; i++) {
      char character = text.charAt(i);
      hexadecimal &= Character.digit(character, 16) >= 0 || (character == 'x' && i == from + 1);
      number |= isDigit(character);
    }
    if (number && hexadecimal) {
      pattern.append(NUMBER);
      return;
    }
    for (int i = from; i < to; i++) {
      char character = text.charAt(i);
      if (!isDigit(character)) {
        pattern.append(character);
      } else if (i == from || !isDigit(text.charAt(i - 1))) {
        pattern.append(NUMBER);
      }
    }
  }

  private static boolean isDigit(char character) {
    return character >= '0' && character <= '9';
  }
}
