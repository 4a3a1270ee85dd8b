package org.rddp.daemon.configuration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tomlj.TomlPosition;

/**
 * What has been read of a file.
 *
 * @param file its name, for messages
 * @param values what its keys mean, by full key, in the order in which they were read
 * @param problems what is wrong
 */
record TomlReading(
    String file, Map<String, ConfigurationValue> values, List<ConfigurationProblem> problems) {
  /** Begins to read a file. */
  TomlReading(String file) {
    this(file, new LinkedHashMap<>(), new ArrayList<>());
  }

  /** Records a problem. */
  void refuse(TomlPosition place, String key, String message) {
    problems.add(new ConfigurationProblem(file, place.line(), place.column(), key, message));
  }
}
