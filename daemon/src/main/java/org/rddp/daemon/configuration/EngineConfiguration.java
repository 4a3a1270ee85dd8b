package org.rddp.daemon.configuration;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The threads that run the engines.
 *
 * @param engines their number
 * @param idle their behaviour when idle
 * @param cores a processor for each of them; empty: any processor
 * @param priority their priority
 * @param stuckTimeout time in ns without a turn after which the sessions of a thread's engines end
 */
public record EngineConfiguration(
    EngineThreads engines,
    IdleMode idle,
    List<Integer> cores,
    ThreadPriority priority,
    long stuckTimeout) {
  /** Copies the list. */
  public EngineConfiguration {
    cores = List.copyOf(cores);
  }

  /** Reads the {@code [engine]} of a configuration file, after its interfaces. */
  static EngineConfiguration read(TomlSection section, List<InterfaceConfiguration> interfaces) {
    int count = interfaces.stream().mapToInt(InterfaceConfiguration::engines).sum();
    // Engines that share an interface share it to run at the same time.
    EngineThreads byDefault =
        count > interfaces.size() ? EngineThreads.PER_PORT : EngineThreads.SHARED;
    EngineThreads threads =
        section.choice("engines", TomlSection.words(EngineThreads.values()), byDefault);
    IdleMode idle =
        section.choice("idle", TomlSection.words(IdleMode.values()), IdleMode.INTERRUPT);
    List<Integer> cores = section.integers("cores", 0, 8191);
    int needed = threads == EngineThreads.SHARED ? 1 : count;
    if (!cores.isEmpty()
        && count > 0
        && (cores.size() != needed || cores.stream().distinct().count() < needed)) {
      section.refuse(
          "cores",
          "names "
              + cores
              + (threads == EngineThreads.SHARED
                  ? ", but one engine thread serves all interfaces"
                  : ", but each of the "
                      + needed
                      + (count > interfaces.size()
                          ? " engines has a thread"
                          : " interfaces has an engine thread")),
          needed + (needed == 1 ? " processor" : " different processors"));
    }
    ThreadPriority priority =
        section.parsed(
            "priority", ThreadPriority.FORM, ThreadPriority.NORMAL, ThreadPriority::parse);
    long stuckTimeout =
        section.duration(
            "stuck-timeout",
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.HOURS.toNanos(1),
            TimeUnit.SECONDS.toNanos(10));
    section.refuseUnknownKeys();
    return new EngineConfiguration(threads, idle, cores, priority, stuckTimeout);
  }
}
