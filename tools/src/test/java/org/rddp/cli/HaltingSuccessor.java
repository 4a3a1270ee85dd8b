package org.rddp.cli;

import java.nio.file.Path;
import java.util.List;
import org.rddp.daemon.ArrivingDaemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.daemon.replacement.Successor;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.SnapshotReader;

/** A process that wants a daemon's place, and ends without a word when it has all but the last. */
final class HaltingSuccessor {
  private HaltingSuccessor() {}

  /**
   * Takes the devices and the state, and halts.
   *
   * @param arguments the configuration's file
   */
  public static void main(String[] arguments) throws Exception {
    Configuration configuration = ConfigurationFile.read(Path.of(arguments[0]));
    ArrivingDaemon arriving =
        new ArrivingDaemon(
            configuration,
            () -> DpdkPorts.openQuietly(configuration, each -> {}, true),
            System.err) {
          @Override
          public void adopt(SnapshotReader snapshot, List<Descriptor> descriptors)
              throws ReplacementException {
            super.adopt(snapshot, descriptors);
            System.err.println("halts");
            Runtime.getRuntime().halt(1);
          }
        };
    new Successor(configuration.controlSocket(), arriving).takeOver();
  }
}
