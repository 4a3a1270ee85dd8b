package org.rddp.tcp;

import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.congestion.AccEcnSender;

/** The state of a connection that uses accurate ECN (RFC 9768). */
final class AccEcnState {
  /** What we have sent. */
  final AccEcnSender sent = new AccEcnSender();

  /** What we have received. */
  final AccEcnReceiver received = new AccEcnReceiver();

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    sent.transfer(snapshot);
    received.transfer(snapshot);
  }
}
