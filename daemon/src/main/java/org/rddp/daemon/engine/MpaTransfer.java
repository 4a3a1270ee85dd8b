package org.rddp.daemon.engine;

import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.UlpduHandler;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.TcpConnection;

/**
 * Transfers what MPA has of a connection of TCP. When it is read, that connection goes on with it.
 * Engine thread only.
 */
final class MpaTransfer {
  private MpaTransfer() {}

  /**
   * Transfers a startup, and the connection of MPA that it may have made.
   *
   * @param written the startup; null if it is read
   * @param owner is told the outcome, when read
   * @param watcher the user until both ends have agreed, when read
   * @param user the user afterwards, when read
   */
  static MpaStartup startup(
      Snapshot snapshot,
      MpaStartup written,
      TcpConnection tcp,
      StartupHandler owner,
      UlpduHandler watcher,
      UlpduHandler user) {
    MpaStartup startup = MpaStartup.transfer(snapshot, written, tcp, owner, watcher, user);
    if (snapshot.reads()) {
      tcp.resume(startup.handler());
    }
    return startup;
  }

  /**
   * Transfers a connection of MPA.
   *
   * @param user its user, when read
   */
  static MpaConnection connection(Snapshot snapshot, TcpConnection tcp, UlpduHandler user) {
    MpaConnection connection =
        MpaConnection.transfer(snapshot, (MpaConnection) tcp.user(), tcp, user);
    if (snapshot.reads()) {
      tcp.resume(connection);
    }
    return connection;
  }
}
