package org.rddp.daemon.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** For Flight Recorder: TCP's retransmission timer has expired. */
@Name("org.rddp.RetransmissionTimeout")
@Label("Retransmission Timeout")
@Category("rddp")
@Description("No acknowledgment has come in time, and TCP sends the first segment again")
@StackTrace(false)
final class RetransmissionTimeoutEvent extends ConnectionEvent {
  @Label("Timeout")
  @Description("The retransmission timeout that has expired")
  @Timespan(Timespan.NANOSECONDS)
  long timeout;

  @Label("Earlier Timeouts")
  @Description("Timeouts before it without an acknowledgment of new data in between")
  int earlier;

  RetransmissionTimeoutEvent() {}
}
