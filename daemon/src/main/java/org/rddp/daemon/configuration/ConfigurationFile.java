package org.rddp.daemon.configuration;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** Reads {@code rddpd}'s configuration file and reports all problems in it. */
public final class ConfigurationFile {
  private final String file;
  private final TomlTable toml;
  private final Configuration configuration;

  private ConfigurationFile(String file, TomlTable toml, Configuration configuration) {
    this.file = file;
    this.toml = toml;
    this.configuration = configuration;
  }

  /**
   * Reads a file.
   *
   * @throws ConfigurationException if the configuration has problems; contains all of them
   */
  public static Configuration read(Path file) throws ConfigurationException {
    return load(file).configuration();
  }

  /**
   * Reads a file, and keeps the places of its keys.
   *
   * @throws ConfigurationException if the configuration has problems; contains all of them
   */
  public static ConfigurationFile load(Path file) throws ConfigurationException {
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException e) {
      throw unreadable(file, "there is no such file");
    } catch (AccessDeniedException e) {
      throw unreadable(file, "this user may not read it");
    } catch (MalformedInputException e) {
      throw unreadable(file, "is not a text in UTF-8");
    } catch (IOException e) {
      throw unreadable(file, "cannot be read: " + e.getMessage());
    }
    return load(file.toString(), text);
  }

  /**
   * Reads the text of a file.
   *
   * @param file name of the file, for messages
   * @throws ConfigurationException if the configuration has problems; contains all of them
   */
  public static Configuration parse(String file, String text) throws ConfigurationException {
    return load(file, text).configuration();
  }

  private static ConfigurationFile load(String file, String text) throws ConfigurationException {
    TomlReading reading = new TomlReading(file);
    List<ConfigurationProblem> problems = reading.problems();
    TomlParseResult toml = Toml.parse(text);
    for (TomlParseError error : toml.errors()) {
      problems.add(SyntaxProblem.of(file, text, error));
    }
    Configuration configuration = problems.isEmpty() ? root(reading, toml) : null;
    if (!problems.isEmpty()) {
      problems.sort(
          Comparator.comparingInt(ConfigurationProblem::line)
              .thenComparingInt(ConfigurationProblem::column));
      throw new ConfigurationException(problems);
    }
    return new ConfigurationFile(file, toml, configuration);
  }

  /** The configuration in the file. */
  public Configuration configuration() {
    return configuration;
  }

  /** Adds a key's place in the file to the machine's problem with it. */
  public ConfigurationProblem place(MachineProblem problem) {
    TomlTable table = toml;
    TomlPosition place = null;
    List<String> path = List.of(problem.table());
    if (problem.number() > 0) {
      TomlArray tables = toml.getArray(path);
      table = tables.getTable(problem.number() - 1);
      place = tables.inputPositionOf(problem.number() - 1);
    } else if (toml.isTable(path)) {
      table = toml.getTable(path);
      place = toml.inputPositionOf(path);
    }
    TomlPosition ofKey = table.inputPositionOf(List.of(problem.key()));
    TomlPosition at = ofKey == null ? place : ofKey;
    return new ConfigurationProblem(
        file,
        at == null ? 0 : at.line(),
        at == null ? 0 : at.column(),
        problem.fullKey(),
        problem.message());
  }

  private static Configuration root(TomlReading reading, TomlTable toml) {
    TomlSection root = new TomlSection(reading, toml);
    ControlConfiguration control = ControlConfiguration.read(root.section("control"));
    Limits limits = Limits.read(root.section("limits"));
    LogConfiguration log = LogConfiguration.read(root.section("log"));
    TomlSection dpdkSection = root.section("dpdk");
    DpdkConfiguration dpdk = DpdkConfiguration.read(dpdkSection);
    List<InterfaceConfiguration> interfaces =
        InterfacesReader.read(root, dpdkSection, dpdk.memory());
    EngineConfiguration engine = EngineConfiguration.read(root.section("engine"), interfaces);
    MetricsConfiguration metrics = MetricsConfiguration.read(root.section("metrics"));
    root.refuseUnknownKeys();
    return new Configuration(
        control, dpdk, engine, limits, metrics, interfaces, log, reading.values());
  }

  private static ConfigurationException unreadable(Path file, String what) {
    return new ConfigurationException(
        List.of(new ConfigurationProblem(file.toString(), 0, 0, "", what)));
  }
}
