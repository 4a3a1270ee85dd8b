package org.rddp.daemon.configuration;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** Reads {@code rddpd}'s configuration file and reports all problems in it. */
public final class ConfigurationFile {
  private static final long MIB = 1 << 20;

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
    List<ConfigurationProblem> problems = new ArrayList<>();
    TomlParseResult toml = Toml.parse(text);
    for (TomlParseError error : toml.errors()) {
      problems.add(SyntaxProblem.of(file, text, error));
    }
    Configuration configuration = null;
    if (problems.isEmpty()) {
      configuration =
          root(
              new TomlSection(
                  file, "", toml, TomlPosition.positionAt(1, 1), problems, new LinkedHashMap<>()));
    }
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

  private static Configuration root(TomlSection root) {
    ControlConfiguration control = ControlConfiguration.read(root.section("control"));
    TomlSection dpdkSection = root.section("dpdk");
    DpdkConfiguration dpdk = dpdk(dpdkSection);
    TomlSection engineSection = root.section("engine");
    Limits limits = LimitsReader.read(root.section("limits"));
    MetricsConfiguration metrics = metrics(root.section("metrics"));
    LogConfiguration log = LogReader.read(root.section("log"));
    List<InterfaceConfiguration> interfaces =
        InterfacesReader.read(root, dpdkSection, dpdk.memory());
    EngineConfiguration engine = EngineConfiguration.read(engineSection, interfaces);
    root.refuseUnknownKeys();
    return new Configuration(
        control, dpdk, engine, limits, metrics, interfaces, log, root.values());
  }

  private static DpdkConfiguration dpdk(TomlSection section) {
    boolean hugepages = section.flag("hugepages", true);
    long memory = section.octets("memory", 64 * MIB, 1L << 40, 512 * MIB);
    if (memory % MIB != 0) {
      section.refuse("memory", "is not a multiple of 1 MiB", "whole MiB");
    }
    List<String> arguments = section.strings("arguments", List.of());
    section.refuseUnknownKeys();
    return new DpdkConfiguration(hugepages, memory, arguments);
  }

  private static MetricsConfiguration metrics(TomlSection section) {
    MetricsConfiguration metrics =
        section.parsed(
            "listen",
            MetricsConfiguration.FORM,
            MetricsConfiguration.OFF,
            MetricsConfiguration::parse);
    section.refuseUnknownKeys();
    return metrics;
  }

  private static ConfigurationException unreadable(Path file, String what) {
    return new ConfigurationException(
        List.of(new ConfigurationProblem(file.toString(), 0, 0, "", what)));
  }
}
