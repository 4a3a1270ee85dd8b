package org.rddp.daemon.configuration;

import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;

/** Describes values of a TOML file. */
final class TomlTables {
  /** Stands for a missing table. */
  static final TomlTable EMPTY = Toml.parse("");

  private TomlTables() {}

  /** Describes a value for messages such as "is the number 5". */
  static String kind(Object value) {
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
