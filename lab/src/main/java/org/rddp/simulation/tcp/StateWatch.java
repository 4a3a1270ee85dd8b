package org.rddp.simulation.tcp;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.rddp.simulation.Violations;
import org.rddp.tcp.TcpState;

/**
 * Checks that a connection changes its state as RFC 9293 section 3.3.2 (figure 5) allows. Between
 * two checks it may have passed several states.
 */
final class StateWatch {
  private static final Map<TcpState, Set<TcpState>> LATER = new EnumMap<>(TcpState.class);

  static {
    later(TcpState.CLOSED);
    later(TcpState.TIME_WAIT, TcpState.CLOSED);
    later(TcpState.LAST_ACK, TcpState.CLOSED);
    later(TcpState.CLOSING, TcpState.TIME_WAIT);
    later(TcpState.CLOSE_WAIT, TcpState.LAST_ACK);
    later(TcpState.FIN_WAIT_2, TcpState.TIME_WAIT);
    later(TcpState.FIN_WAIT_1, TcpState.FIN_WAIT_2, TcpState.CLOSING);
    later(TcpState.ESTABLISHED, TcpState.FIN_WAIT_1, TcpState.CLOSE_WAIT);
    later(TcpState.SYN_RECEIVED, TcpState.ESTABLISHED);
    later(TcpState.SYN_SENT, TcpState.SYN_RECEIVED);
  }

  private final Violations violations;
  private TcpState last;

  StateWatch(Violations violations) {
    this.violations = violations;
  }

  /** Adds the states that may follow, directly or later; a reset may end every state. */
  private static void later(TcpState state, TcpState... next) {
    Set<TcpState> later = EnumSet.of(state, TcpState.CLOSED);
    for (TcpState one : next) {
      later.addAll(LATER.get(one));
    }
    LATER.put(state, later);
  }

  /** The connection is in a state now. */
  void saw(TcpState state) {
    if (last != null && !LATER.get(last).contains(state)) {
      violations.add("from state " + last + " to " + state);
    }
    last = state;
  }
}
