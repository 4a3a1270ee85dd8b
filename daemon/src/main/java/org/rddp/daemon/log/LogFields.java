package org.rddp.daemon.log;

import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.daemon.engine.ConnectionEnds;
import org.rddp.daemon.engine.ConnectionFailure;

/** Names and values, in order, of the object that a log line or an error is about. */
public final class LogFields {
  /** Fields about the daemon as a whole. */
  public static final LogFields NONE = new LogFields();

  private final Map<String, Object> values = new LinkedHashMap<>();

  private LogFields() {}

  /**
   * Fields about a session.
   *
   * @param interfaceName its interface; empty before it has chosen one
   * @param number its number in the daemon
   * @param program the program's name for itself; may be empty
   */
  public static LogFields session(
      String interfaceName, int number, String program, int pid, int uid) {
    LogFields fields = new LogFields();
    if (!interfaceName.isEmpty()) {
      fields.values.put("interface", interfaceName);
    }
    return fields.addSession(number, program, pid, uid);
  }

  /** Fields about a connection. */
  static LogFields connection(ConnectionFailure failure) {
    ConnectionEnds ends = failure.ends();
    LogFields fields = new LogFields();
    fields.values.put("interface", failure.interfaceName());
    fields.values.put("local", ends.local());
    fields.values.put("peer", ends.remote());
    return fields.addSession(
        failure.session(), failure.program(), failure.owner().process(), failure.owner().user());
  }

  private LogFields addSession(int number, String program, int pid, int uid) {
    values.put("session", number);
    values.put("program", program);
    values.put("pid", pid);
    values.put("uid", uid);
    return this;
  }

  /** The values by name. */
  public Map<String, Object> values() {
    return values;
  }
}
