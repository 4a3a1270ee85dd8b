package org.rddp.daemon.engine;

import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.rdmap.RdmapSettings;

/** Refuses settings of a connection that its session or the interface does not allow. */
final class SettingsCheck {
  private SettingsCheck() {}

  static void check(Session session, ConnectionSettings settings) throws RequestRefusedException {
    RdmapSettings configured = session.engine().rdmapSettings();
    checkRanges(session, settings);
    check(
        settings.heldOctets(),
        configured.heldOctets(),
        "octets of messages to hold; the interface allows");
    TcpChoices.check(session.engine().tcp().settings(), settings);
    ChosenStartup.check(configured, settings.startup());
    if (settings.isPlainDdp() && !settings.startup().equals(StartupOptions.DEFAULTS)) {
      throw new RequestRefusedException(
          Reason.INVALID, "options of the startup are for RDMAP; plain DDP has none");
    }
  }

  /** Refuses settings that no configuration allows the session. */
  static void checkRanges(Session session, ConnectionSettings settings)
      throws RequestRefusedException {
    if (settings.isPlainDdp() && (settings.withheldRights() != 0 || settings.sendWithImmediate())) {
      throw new RequestRefusedException(
          Reason.INVALID, "withheld rights and Sends with immediate data are for RDMAP");
    }
    SessionDomains.check(settings.domain());
    check(settings.heldOctets(), Integer.MAX_VALUE, "octets of messages to hold; it is");
    session.receiveQueues().check(settings);
    long receives = 0;
    for (int depth : settings.queues()) {
      if (depth < 1) {
        throw new RequestRefusedException(
            Reason.INVALID, "a queue that holds " + depth + " receives; it holds 1 at least");
      }
      receives += depth;
    }
    int most = session.limits().receiveQueue();
    check(receives, most, "receives in the queues; a connection may have");
    check(settings.taggedNotices(), most, "notices of Tagged Messages; a connection may have");
  }

  private static void check(long number, int most, String what) throws RequestRefusedException {
    if (number < 0 || number > most) {
      throw new RequestRefusedException(Reason.LIMIT, number + " " + what + " 0 to " + most);
    }
  }
}
