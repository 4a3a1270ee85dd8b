package org.rddp.daemon.log;

/**
 * Makes one printable line of a text from a program or a peer, so that neither a reader of the log
 * nor a terminal takes a part of it for a line of the daemon.
 */
public final class LogText {
  private LogText() {}

  /**
   * The text with escapes for backslashes and for all characters that do not print, such as line
   * ends, escape sequences and marks that reverse the direction.
   *
   * @param most characters of the text to keep; the number of the others is appended
   */
  public static String escaped(String text, int most) {
    StringBuilder line = new StringBuilder();
    String kept = shortened(text, most);
    for (int i = 0; i < kept.length(); i++) {
      append(line, kept.charAt(i));
    }
    return line.toString();
  }

  /**
   * Shortens a text that is escaped later.
   *
   * @param most characters of the text to keep; the number of the others is appended
   */
  public static String shortened(String text, int most) {
    return text.length() <= most
        ? text
        : text.substring(0, most) + " (and " + (text.length() - most) + " more characters)";
  }

  private static void append(StringBuilder line, char character) {
    if (character == '\\') {
      line.append("\\\\");
    } else if (isPrintable(character)) {
      line.append(character);
    } else {
      line.append("\\u%04x".formatted((int) character));
    }
  }

  private static boolean isPrintable(char character) {
    return switch (Character.getType(character)) {
      // Two of them are one character; terminals ignore a single one.
      case Character.SURROGATE -> true;
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
