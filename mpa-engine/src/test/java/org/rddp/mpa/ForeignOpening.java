package org.rddp.mpa;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a stream of another protocol begins, one line of {@code openings.txt}; that file says what
 * each field is.
 */
final class ForeignOpening {
  private static final Pattern ESCAPE = Pattern.compile("\\\\x([0-9a-f]{2})");

  /** Every line of the file. */
  static List<ForeignOpening> all() {
    try (InputStream file = ForeignOpening.class.getResourceAsStream("openings.txt")) {
      return new String(file.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(ForeignOpening::new)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final String protocol;
  private final byte[] client;
  private final byte[] greeting;
  private final Pattern legal;
  private final Integer pointer;
  private final Integer length;
  private final String clause;

  private ForeignOpening(String line) {
    String[] field = line.split(" \\| ", -1);
    protocol = field[0].strip();
    client = octets(field[1].strip());
    greeting = octets(field[2].strip());
    legal = Pattern.compile(field[3].strip(), Pattern.DOTALL);
    pointer = field[4].equals("-") ? null : Integer.valueOf(field[4], 16);
    length = field[5].equals("-") ? null : Integer.valueOf(field[5]);
    clause = field[6];
  }

  String protocol() {
    return protocol;
  }

  /** The id of the clause that speaks of the protocol. */
  String clause() {
    return clause;
  }

  /** What the client says first. */
  byte[] client() {
    return client.clone();
  }

  /** What the server says before any client has spoken; perhaps nothing. */
  byte[] greeting() {
    return greeting.clone();
  }

  /** The opening's FPDUPTR, were it a Marker; null if it is too short. */
  Integer pointer() {
    return pointer;
  }

  /** Its ULPDU_Length after that; null if it is too short. */
  Integer length() {
    return length;
  }

  private static byte[] octets(String text) {
    String plain =
        ESCAPE
            .matcher(text)
            .replaceAll(hex ->
                Matcher.quoteReplacement(Character.toString(Integer.parseInt(hex.group(1), 16))));
    return plain.replace("\\r", "\r").replace("\\n", "\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Whether a stream of the protocol may begin with these octets. */
  boolean mayBegin(byte[] octets) {
    return legal.matcher(new String(octets, StandardCharsets.ISO_8859_1)).matches();
  }

  @Override
  public String toString() {
    return protocol;
  }
}
