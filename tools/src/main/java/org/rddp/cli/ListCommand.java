package org.rddp.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rddp list}: lists what a running daemon has. */
@Command(
    name = "list",
    description = {
      "List the interfaces, sessions, connections, listeners, security associations or tenants of"
          + " the running daemon.",
      "Interfaces are shown to all who may open a session. Root, the daemon's own user and its"
          + " group see the sessions, connections and listeners of all users; others see their"
          + " own. Associations are shown to root and the daemon's own user only, tenants like"
          + " sessions."
    })
final class ListCommand implements Callable<Integer> {
  /** What can be listed. */
  enum Subject {
    INTERFACES(null),
    SESSIONS(ListSubject.SESSIONS),
    CONNECTIONS(ListSubject.CONNECTIONS),
    LISTENERS(ListSubject.LISTENERS),
    ASSOCIATIONS(ListSubject.ASSOCIATIONS),
    TENANTS(ListSubject.TENANTS);

    /** What the daemon is asked for; null: needs no session. */
    private final ListSubject subject;

    Subject(ListSubject subject) {
      this.subject = subject;
    }

    TextTable table(boolean wide) {
      return switch (this) {
        case INTERFACES -> TextTable.INTERFACES;
        case SESSIONS -> TextTable.SESSIONS;
        case CONNECTIONS -> wide ? TextTable.WIDE_CONNECTIONS : TextTable.CONNECTIONS;
        case LISTENERS -> TextTable.LISTENERS;
        case ASSOCIATIONS -> TextTable.ASSOCIATIONS;
        case TENANTS -> TextTable.TENANTS;
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Mixin private SessionOptions session;

  @Parameters(
      paramLabel = "interfaces|sessions|connections|listeners|associations|tenants",
      description = "What to list.")
  private Subject subject;

  @Option(
      names = "--json",
      description =
          "Print one JSON object for each, with all that is known; docs/ipc.md has the keys.")
  private boolean json;

  @Option(names = "--wide", description = "Show all columns of connections.")
  private boolean wide;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    print(spec, json, subject.table(wide), objects());
    return 0;
  }

  /** Prints objects as JSON, or as a table. */
  static void print(CommandSpec spec, boolean json, TextTable table, List<JsonObject> objects) {
    if (json) {
      objects.forEach(object -> Output.println(spec, object.toString()));
    } else {
      table.lines(objects).forEach(line -> Output.println(spec, line));
    }
  }

  private List<JsonObject> objects() {
    if (subject == Subject.INTERFACES) {
      return session.chosenInterfaces().stream().map(InterfaceObject::of).toList();
    }
    try (Rddp daemon = session.open("list")) {
      return objects(daemon, subject.subject, session);
    }
  }

  /** The objects of the chosen interface. */
  static List<JsonObject> objects(Rddp daemon, ListSubject subject, SessionOptions options) {
    return daemon.list(subject).stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .filter(options::includes)
        .toList();
  }
}
