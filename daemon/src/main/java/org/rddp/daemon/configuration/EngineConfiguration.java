package org.rddp.daemon.configuration;

import java.util.List;

/**
 * The threads that run the engines.
 *
 * @param engines their number
 * @param idle their behaviour when idle
 * @param cores a processor for each of them; empty: any processor
 * @param priority their priority
 */
public record EngineConfiguration(
    EngineThreads engines, IdleMode idle, List<Integer> cores, ThreadPriority priority) {
  /** Copies the list. */
  public EngineConfiguration {
    cores = List.copyOf(cores);
  }

  /** Reads the {@code [engine]} of a configuration file, of which the interfaces are read. */
  static EngineConfiguration read(TomlSection section, int interfaces) {
    EngineThreads threads =
        section.choice("engines", TomlSection.words(EngineThreads.values()), EngineThreads.SHARED);
    IdleMode idle =
        section.choice("idle", TomlSection.words(IdleMode.values()), IdleMode.INTERRUPT);
    List<Integer> cores = section.integers("cores", 0, 8191);
    int needed = threads == EngineThreads.SHARED ? 1 : interfaces;
    if (!cores.isEmpty()
        && interfaces > 0
        && (cores.size() != needed || cores.stream().distinct().count() < needed)) {
      section.refuse(
          "cores",
          "names "
              + cores
              + (threads == EngineThreads.SHARED
                  ? ", but one engine thread serves all interfaces"
                  : ", but each of the " + needed + " interfaces has an engine thread"),
          needed + (needed == 1 ? " processor" : " different processors"));
    }
    ThreadPriority priority =
        section.parsed(
            "priority", ThreadPriority.FORM, ThreadPriority.NORMAL, ThreadPriority::parse);
    section.refuseUnknownKeys();
    return new EngineConfiguration(threads, idle, cores, priority);
  }
}
