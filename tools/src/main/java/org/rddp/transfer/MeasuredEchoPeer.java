package org.rddp.transfer;

import org.rddp.client.Connection;
import org.rddp.client.Rddp;
import org.rddp.client.types.PrivateData;
import org.rddp.perf.PerfReply;
import org.rddp.perf.PerfRequest;

/** A peer that measures Sends, each of which is sent back. */
final class MeasuredEchoPeer extends EchoPeer {
  private final PerfRequest request;
  private final int slots;

  MeasuredEchoPeer(Rddp session, Connection connection, int slots, PerfRequest request) {
    super(session, connection, slots, request.size());
    this.request = request;
    this.slots = slots;
  }

  /** Octets that a peer needs. */
  static long octets(PerfRequest request, int slots) {
    return EchoServer.BUFFER + (long) slots * request.size();
  }

  @Override
  PrivateData reply() {
    return new PerfReply(buffer()).toPrivateData();
  }

  @Override
  long measuringOctets() {
    return octets(request, slots);
  }

  @Override
  boolean wantsPolling() {
    return !request.events();
  }
}
