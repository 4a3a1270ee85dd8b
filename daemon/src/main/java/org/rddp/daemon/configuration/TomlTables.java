package org.rddp.daemon.configuration;

import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;

/** Words for what a TOML file holds. */
final class TomlTables {
  /** What a missing table reads as. */
  static final TomlTable EMPTY = Toml.parse("");

  private TomlTables() {}

  /** What a value is, for a message such as "is a number". */
  static String kind(Object value) {
    return switch (value) {
      case String text -> "the text \"" + text + "\"";
      case Long number -> "the number " + number;
      case Double number -> "the number " + number;
      case Boolean flag -> flag.toString();
      case TomlArray array -> "a list of " + array.size();
      case TomlTable table -> "a table of " + table.size();
      default -> "the date or time " + value;
    };
  }
}
