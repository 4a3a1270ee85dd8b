package org.rddp.daemon.configuration;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.rddp.ip.AddressPrefix;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/**
 * Reads a table of a TOML file key by key. Each call that reads a key is the declaration of that
 * key: type, range, default, and by {@link #live} whether SIGHUP applies it. Messages, {@link
 * Changes} and the example follow from it. A wrong value is recorded as a problem and replaced by
 * its default, so that one pass finds all problems.
 */
final class TomlSection {
  /** Stands for a missing table. */
  private static final TomlTable EMPTY = Toml.parse("");

  private final TomlReading reading;
  private final String path;
  private final TomlTable table;
  private final TomlPosition position;
  private final boolean live;
  private final Set<String> known;

  private TomlSection(
      TomlReading reading,
      String path,
      TomlTable table,
      TomlPosition position,
      boolean live,
      Set<String> known) {
    this.reading = reading;
    this.path = path;
    this.table = table;
    this.position = position;
    this.live = live;
    this.known = known;
  }

  /** Begins to read a file. */
  TomlSection(TomlReading reading, TomlTable root) {
    this(reading, "", root, TomlPosition.positionAt(1, 1), false, new HashSet<>());
  }

  /** This table, for keys that SIGHUP applies; all others need a restart. */
  TomlSection live() {
    return new TomlSection(reading, path, table, position, true, known);
  }

  /** Keeps what a key means, the default included. */
  private <T> T read(String key, T value) {
    reading.values().put(name(key), new ConfigurationValue(value, live));
    return value;
  }

  /** Whether the file has the key. */
  boolean has(String key) {
    known.add(key);
    return table.contains(List.of(key));
  }

  /** A required string that a parser reads; null, and a problem, if it is missing or wrong. */
  <T> T required(String key, String meaning, Function<String, T> parser) {
    if (!has(key)) {
      problem(position, key, "missing; it must be " + meaning);
      return null;
    }
    return parsed(key, meaning, null, parser);
  }

  /**
   * A string read by a parser that throws IllegalArgumentException if it is wrong.
   *
   * @param allowed the allowed values, for the message
   */
  <T> T parsed(String key, String allowed, T fallback, Function<String, T> parser) {
    if (!has(key)) {
      return read(key, fallback);
    }
    if (!(table.get(List.of(key)) instanceof String text)) {
      refuseType(key, allowed);
      return fallback;
    }
    if (text.isBlank()) {
      refuse(key, "is empty", allowed);
      return fallback;
    }
    try {
      return read(key, parser.apply(text));
    } catch (IllegalArgumentException e) {
      refuse(key, "\"" + text + "\" cannot be used", allowed);
      return fallback;
    }
  }

  /** A whole number within two inclusive bounds. */
  int integer(String key, int least, int most, int fallback) {
    if (!has(key)) {
      return read(key, fallback);
    }
    String allowed = "a whole number from " + least + " to " + most;
    if (!(table.get(List.of(key)) instanceof Long number)) {
      refuseType(key, allowed);
      return fallback;
    }
    if (number < least || number > most) {
      refuse(key, number + " is out of range", allowed);
      return fallback;
    }
    return read(key, number.intValue());
  }

  /** A whole number within two inclusive bounds, or a word that stands for one. */
  int integerOr(String key, String word, int meaning, int least, int most, int fallback) {
    if (has(key) && word.equals(table.get(List.of(key)))) {
      return read(key, meaning);
    }
    return integer(key, least, most, fallback);
  }

  /** A power of two within two inclusive bounds. */
  int powerOfTwo(String key, int least, int most, int fallback) {
    int number = integer(key, least, most, fallback);
    if (Integer.bitCount(number) != 1) {
      refuse(
          key, number + " is not a power of two", "a power of two from " + least + " to " + most);
      return fallback;
    }
    return number;
  }

  /** A size: a number of octets or a string such as {@code "64MiB"}. */
  long octets(String key, long least, long most, long fallback) {
    if (!has(key)) {
      return read(key, fallback);
    }
    String allowed =
        SizeText.FORM + ", from " + SizeText.format(least) + " to " + SizeText.format(most);
    Object value = table.get(List.of(key));
    long octets;
    if (value instanceof Long number) {
      octets = number;
    } else {
      octets = parsed(key, allowed, fallback, SizeText::parse);
    }
    if (octets < least || octets > most) {
      refuse(key, value + " is out of range", allowed);
      return fallback;
    }
    return read(key, octets);
  }

  /** A duration in nanoseconds, written as {@code "10s"}. */
  long duration(String key, long least, long most, long fallback) {
    String allowed =
        TimeSpan.FORM + ", from " + TimeSpan.format(least) + " to " + TimeSpan.format(most);
    long nanos = parsed(key, allowed, fallback, TimeSpan::parse);
    if (nanos < least || nanos > most) {
      refuse(key, "\"" + table.get(List.of(key)) + "\" is out of range", allowed);
      return fallback;
    }
    return nanos;
  }

  /** True or false. */
  boolean flag(String key, boolean fallback) {
    if (!has(key)) {
      return read(key, fallback);
    }
    if (!(table.get(List.of(key)) instanceof Boolean flag)) {
      refuseType(key, "true or false");
      return fallback;
    }
    return read(key, flag);
  }

  /** One of a set of words. */
  <T> T choice(String key, Map<String, T> choices, T fallback) {
    return parsed(key, allowed(choices), fallback, word -> chosen(word, choices));
  }

  /** A required word out of several; null, and a problem, if it is missing or wrong. */
  <T> T required(String key, Map<String, T> choices) {
    return required(key, allowed(choices), word -> chosen(word, choices));
  }

  private static String allowed(Map<String, ?> choices) {
    return "one of \"" + String.join("\", \"", choices.keySet()) + "\"";
  }

  private static <T> T chosen(String word, Map<String, T> choices) {
    T chosen = choices.get(word.toLowerCase(Locale.ROOT));
    if (chosen == null) {
      throw new IllegalArgumentException(word);
    }
    return chosen;
  }

  /** Required addresses of a network; null, and a problem, if they are missing or wrong. */
  AddressPrefix network(String key) {
    String meaning =
        "an address, or one with a prefix length, such as \"10.0.0.0/24\" or \"2001:db8::/64\"";
    return required(key, meaning, AddressPrefix::parse);
  }

  /** A list of strings. */
  List<String> strings(String key, List<String> fallback) {
    if (!has(key)) {
      return read(key, fallback);
    }
    List<String> texts = read(key, new ArrayList<>());
    String allowed = "a list of strings in quotes";
    if (!(table.get(List.of(key)) instanceof TomlArray array)) {
      refuseType(key, allowed);
      return texts;
    }
    for (int i = 0; i < array.size(); i++) {
      if (array.get(i) instanceof String text) {
        texts.add(text);
      } else {
        problem(
            array.inputPositionOf(i),
            key + "[" + (i + 1) + "]",
            "is not a string; allowed: " + allowed);
      }
    }
    return texts;
  }

  /** A string, or a list of strings; none if the key is missing. */
  List<String> stringOrStrings(String key, String allowed) {
    if (!has(key) || table.get(List.of(key)) instanceof TomlArray) {
      return strings(key, List.of());
    }
    String text = parsed(key, allowed, null, each -> each);
    return text == null ? List.of() : List.of(text);
  }

  /** Whether the key is an empty list. */
  boolean isEmptyList(String key) {
    return has(key) && table.get(List.of(key)) instanceof TomlArray array && array.isEmpty();
  }

  /**
   * A number, or a name that a function translates; it throws IllegalArgumentException with the
   * reason if it cannot. Null if the key is missing or wrong.
   */
  Integer account(String key, String allowed, Function<String, Integer> byName) {
    return read(
        key, has(key) ? account(at(key), key, table.get(List.of(key)), allowed, byName) : null);
  }

  /** A list of such numbers and names. */
  List<Integer> accounts(String key, String allowed, Function<String, Integer> byName) {
    List<Integer> all = read(key, new ArrayList<>());
    if (!has(key)) {
      return all;
    }
    if (!(table.get(List.of(key)) instanceof TomlArray array)) {
      refuseType(key, allowed);
      return all;
    }
    for (int i = 0; i < array.size(); i++) {
      String element = key + "[" + (i + 1) + "]";
      Integer id = account(array.inputPositionOf(i), element, array.get(i), allowed, byName);
      if (id != null) {
        all.add(id);
      }
    }
    return all;
  }

  private Integer account(
      TomlPosition place,
      String key,
      Object value,
      String allowed,
      Function<String, Integer> byName) {
    if (value instanceof Long number && number >= 0 && number <= Integer.MAX_VALUE) {
      return number.intValue();
    }
    String wrong = "is " + kind(value);
    if (value instanceof String name) {
      try {
        return byName.apply(name);
      } catch (IllegalArgumentException e) {
        wrong = e.getMessage();
      }
    }
    problem(place, key, wrong + "; allowed: " + allowed);
    return null;
  }

  /** The names of constants as the file has them: in small letters, with hyphens. */
  static <E extends Enum<E>> Map<String, E> words(E[] values) {
    Map<String, E> words = new LinkedHashMap<>();
    for (E value : values) {
      words.put(value.name().toLowerCase(Locale.ROOT).replace('_', '-'), value);
    }
    return words;
  }

  /** A list of whole numbers within two inclusive bounds. */
  List<Integer> integers(String key, int least, int most) {
    List<Integer> numbers = read(key, new ArrayList<>());
    if (!has(key)) {
      return numbers;
    }
    String allowed = "a list of whole numbers from " + least + " to " + most;
    if (!(table.get(List.of(key)) instanceof TomlArray array)) {
      refuseType(key, allowed);
      return numbers;
    }
    for (int i = 0; i < array.size(); i++) {
      if (array.get(i) instanceof Long number && number >= least && number <= most) {
        numbers.add(number.intValue());
      } else {
        problem(
            array.inputPositionOf(i),
            key + "[" + (i + 1) + "]",
            "is " + kind(array.get(i)) + "; allowed: " + allowed);
      }
    }
    return numbers;
  }

  /** A table in this table; empty if the file has none. */
  TomlSection section(String key) {
    TomlTable inner = EMPTY;
    TomlPosition place = position;
    if (has(key)) {
      place = at(key);
      if (table.get(List.of(key)) instanceof TomlTable found) {
        inner = found;
      } else {
        refuseType(key, "a table, [" + name(key) + "]");
      }
    }
    return new TomlSection(reading, name(key), inner, place, live, new HashSet<>());
  }

  /** The tables of an array of tables, {@code [[key]]}. */
  List<TomlSection> sections(String key) {
    List<TomlSection> sections = new ArrayList<>();
    if (!has(key)) {
      return sections;
    }
    if (!(table.get(List.of(key)) instanceof TomlArray array)) {
      refuseType(key, "a list of tables, [[" + name(key) + "]]");
      return sections;
    }
    for (int i = 0; i < array.size(); i++) {
      String element = name(key) + "[" + (i + 1) + "]";
      if (array.get(i) instanceof TomlTable found) {
        sections.add(
            new TomlSection(
                reading, element, found, array.inputPositionOf(i), live, new HashSet<>()));
      } else {
        problem(array.inputPositionOf(i), key, "allowed: tables, [[" + name(key) + "]]");
      }
    }
    return sections;
  }

  /** Records a problem for each unknown key, with a suggestion. */
  void refuseUnknownKeys() {
    for (String key : table.keySet()) {
      if (!known.contains(key)) {
        problem(at(key), key, "unknown key; " + Suggestion.among(key, known));
      }
    }
  }

  /** Records a problem if the file has a key under its name in earlier versions. */
  void refuseRenamed(String old, String key) {
    if (has(old)) {
      problem(at(old), old, "is called " + key + " now");
    }
  }

  /** Records a problem with a key's value. */
  void refuse(String key, String what, String allowed) {
    problem(at(key), key, what + "; allowed: " + allowed);
  }

  /** Records a problem with this table as a whole. */
  void refuse(String what) {
    reading.refuse(position, path, what);
  }

  private void refuseType(String key, String allowed) {
    refuse(key, "is " + kind(table.get(List.of(key))), allowed);
  }

  private TomlPosition at(String key) {
    TomlPosition found = table.inputPositionOf(List.of(key));
    return found == null ? position : found;
  }

  private String name(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private void problem(TomlPosition place, String key, String message) {
    reading.refuse(place, name(key), message);
  }

  /** Describes a value for messages such as "is the number 5". */
  private static String kind(Object value) {
    return switch (value) {
      case String text -> "the string \"" + text + "\"";
      case Long number -> "the number " + number;
      case Double number -> "the number " + number;
      case Boolean flag -> flag.toString();
      case TomlArray array -> "a list of " + array.size();
      case TomlTable table -> "a table of " + table.size();
      default -> "the date or time " + value;
    };
  }
}
