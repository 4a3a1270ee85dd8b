package org.rddp.tcp.congestion;

/** A sender with a full window and the round trips of a test. */
final class SimulatedFlow {
  static final int EMSS = 1000;
  static final long MILLISECOND = 1_000_000;

  final CongestionControl control;
  long now = 1000 * MILLISECOND;
  long roundTrip;

  SimulatedFlow(CongestionControl control, long roundTrip) {
    this.control = control;
    this.roundTrip = roundTrip;
    control.open(EMSS, now);
  }

  /** The window in segments. */
  double segments() {
    return (double) control.window() / EMSS;
  }

  /** A round trip goes by, with an acknowledgment per segment. */
  SimulatedFlow roundTrip() {
    return roundTrip(1);
  }

  /** A round trip goes by, with an acknowledgment per that many segments. */
  SimulatedFlow roundTrip(int segmentsPerAcknowledgment) {
    long window = control.window();
    long until = now + roundTrip;
    long each = (long) segmentsPerAcknowledgment * EMSS;
    long count = Math.max(window / each, 1);
    for (long i = 1; i <= count; i++) {
      now = until - roundTrip + roundTrip * i / count;
      acknowledge(Math.min(each, window));
    }
    return this;
  }

  SimulatedFlow roundTrips(int count) {
    for (int i = 0; i < count; i++) {
      roundTrip();
    }
    return this;
  }

  /** Round trips until so much time has passed. */
  SimulatedFlow pass(long nanoseconds) {
    long until = now + nanoseconds;
    while (now < until) {
      roundTrip();
    }
    return this;
  }

  /** Silence. */
  SimulatedFlow idle(long nanoseconds) {
    now += nanoseconds;
    return this;
  }

  /** An acknowledgment of a window in full use. */
  SimulatedFlow acknowledge(long octets) {
    control.onAcknowledged(
        octets, Math.max(control.window() - octets, 0), roundTrip, roundTrip, true, now);
    return this;
  }

  /** An acknowledgment while the application sends less than it may. */
  SimulatedFlow acknowledgeUnused(long octets) {
    control.onAcknowledged(octets, 0, roundTrip, roundTrip, false, now);
    return this;
  }

  /** A loss in a full window, and its repair. */
  SimulatedFlow lose() {
    control.onCongestion(control.window(), true, now);
    control.onRecovered(now);
    return this;
  }

  /** The timer expires with a full window in flight. */
  SimulatedFlow expire() {
    control.onTimeout(control.window(), true, now);
    return this;
  }

  /** Slow start up to the first loss, at that many segments. */
  SimulatedFlow loseAt(int segments) {
    while (control.window() < (long) segments * EMSS) {
      acknowledge(Math.min(EMSS, (long) segments * EMSS - control.window()));
    }
    return lose();
  }
}
