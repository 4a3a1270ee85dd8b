package org.rddp.daemon;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.rddp.crc.Crc32c;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.control.HandedDescriptors;
import org.rddp.daemon.control.MappedMemories;
import org.rddp.daemon.log.DaemonEvents;
import org.rddp.daemon.log.DaemonLog;
import org.rddp.daemon.replacement.Arriving;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.device.FrameDevice;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.SnapshotReader;

/** A daemon that takes the place of another: see {@link Arriving}. */
public class ArrivingDaemon implements Arriving {
  /** Opens the devices that the other daemon has open, too, and does what takes time. */
  public interface Opening {
    /**
     * Opens them.
     *
     * @throws IOException if the machine does not allow it
     */
    Ports open() throws IOException;
  }

  /** Frames received at a time. */
  private static final int BURST = 64;

  private final Configuration configuration;
  private final Opening opening;
  private final PrintStream out;
  private final Map<String, String> environment;
  private DaemonEvents events;
  private Ports ports;

  /** Null until all devices are open. */
  private Interfaces interfaces;

  private final MappedMemories memories = new MappedMemories();
  private final Urgency urgency;
  private List<Descriptor> received = List.of();
  private ControlListener listener;
  private Daemon daemon;

  /**
   * Creates one, which does nothing yet.
   *
   * @param out receives the log
   */
  public ArrivingDaemon(Configuration configuration, Opening opening, PrintStream out) {
    this(configuration, opening, out, System.getenv());
  }

  /**
   * Creates one, which does nothing yet, in an environment.
   *
   * @param out receives the log
   * @param environment that may name a service manager, as sd_notify(3) describes
   */
  public ArrivingDaemon(
      Configuration configuration,
      Opening opening,
      PrintStream out,
      Map<String, String> environment) {
    this.configuration = configuration;
    this.opening = opening;
    this.out = out;
    this.environment = environment;
    urgency = new Urgency(configuration.engine());
  }

  @Override
  public void prepare() throws ReplacementException {
    Crc32c.chosen();
    try {
      EagerClasses.load();
      events = new DaemonEvents(new DaemonLog(configuration.log(), out));
      ports = opening.open();
      makeInterfaces();
      // There may be much by now.
      drain();
    } catch (IOException e) {
      throw new ReplacementException("the new daemon cannot run: " + e.getMessage(), e);
    }
  }

  @Override
  public String interfaces() {
    return InterfaceTerms.text(configuration.interfaces());
  }

  @Override
  public void map(List<Descriptor> descriptors) {
    descriptors.forEach(memories::map);
  }

  @Override
  public void take(String devices) throws ReplacementException {
    urgency.begin();
    drain();
    try {
      ports.take(MacAddresses.read(devices));
      makeInterfaces();
    } catch (IOException | NumberFormatException e) {
      throw new ReplacementException("the new daemon cannot run: " + e.getMessage(), e);
    }
  }

  /** Makes the engines, as early as there are devices for all of them: that takes some ms. */
  private void makeInterfaces() throws IOException {
    int engines = configuration.interfaces().stream().mapToInt(each -> each.engines()).sum();
    if (interfaces == null && ports.devices().size() == engines) {
      interfaces = new Interfaces(configuration, ports);
    }
  }

  @Override
  public void release() {
    if (ports != null) {
      ports.release();
    }
  }

  private void drain() {
    ports.enter();
    for (FrameDevice device : ports.devices()) {
      long[] burst = new long[BURST];
      int most = device.pool().capacity();
      int received = BURST;
      for (int dropped = 0; received > 0 && dropped < most; dropped += received) {
        received = device.receive(burst);
        for (int i = 0; i < received; i++) {
          device.pool().release(burst[i]);
        }
      }
    }
    ports.leave();
  }

  @Override
  public void adopt(SnapshotReader snapshot, List<Descriptor> descriptors)
      throws ReplacementException {
    received = descriptors;
    listener = ControlListener.inherit(configuration.controlSocket(), descriptors.getFirst());
    HandedStacks stacks;
    try {
      stacks = HandedStacks.read(snapshot, interfaces);
      interfaces.addKeys(name -> !stacks.includes(name));
      interfaces.introduce();
      SdNotifier notifier = SdNotifier.of(environment, out);
      daemon = new Daemon(configuration, listener, interfaces, ports, events, notifier);
    } catch (IOException e) {
      throw new ReplacementException(e.getMessage(), e);
    } finally {
      if (daemon == null) {
        listener.leave();
      }
    }
    HandedDescriptors others =
        new HandedDescriptors(descriptors.subList(1, descriptors.size()), memories);
    daemon.read(snapshot, others, stacks);
  }

  @Override
  public void begin() {
    urgency.end();
    try {
      // Nothing may fail once the engines run.
      listener.listen();
    } catch (SystemCallException e) {
      throw new IllegalStateException("programs cannot connect: " + e.getMessage(), e);
    }
    // Before everything that takes time: programs and peers are waiting.
    daemon.startEngines();
    // Programs have freed what is left of it.
    memories.close();
    // The control socket has the mode and the group of the other daemon's configuration.
    daemon.limitPrograms();
    daemon.startControl();
  }

  @Override
  public void settle() {
    daemon.settle();
  }

  @Override
  public void discard() {
    urgency.end();
    memories.close();
    release();
    if (daemon != null) {
      daemon.discard();
    } else {
      if (ports != null) {
        ports.close();
      }
      if (interfaces != null) {
        interfaces.discard();
      }
      if (events != null) {
        events.close();
      }
    }
    received.forEach(Descriptor::close);
  }

  /** The daemon, which serves its programs once this one has begun. */
  public Daemon daemon() {
    return daemon;
  }
}
