package org.rddp.daemon.control;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ConnectionStatus;
import org.rddp.daemon.engine.EngineTenants;
import org.rddp.daemon.engine.ListenerStatus;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.daemon.log.DistinctError;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.ring.ConnectionId;
import org.rddp.ipc.ring.Doorbells;

/**
 * Answers a program's requests for a list, some objects at a time. The program sends the position
 * in the list, so nothing is kept between requests. A program has one such request outstanding,
 * whose objects are of one session, and an engine copies few connections for it at a time. Control
 * thread only.
 */
final class ObjectList {
  /** Connections that an engine copies for one request. */
  private static final int CONNECTIONS = 4;

  /** Octets of the lines of one reply, less than its field can carry. */
  private static final int ROOM = 3800;

  private final ControlServer server;
  private final ProgramSession viewer;

  /** The reply that an engine copies for; null if none does. */
  private Page copied;

  private InterfaceEngine copiedOn;

  ObjectList(ControlServer server, ProgramSession viewer) {
    this.server = server;
    this.viewer = viewer;
  }

  /** Whether an engine is copying for a request. */
  boolean isBusy() {
    return copied != null;
  }

  /**
   * Skips a session whose engine has stalled: the viewer would wait for it, and lose its own
   * session.
   */
  void answerForStalledEngine() {
    if (copied != null && server.watches().isStalled(copiedOn)) {
      Page page = copied;
      copied = null;
      page.send(-1);
    }
  }

  void list(ProgramMessage.ListObjects next) throws RequestRefusedException {
    ListSubject subject = ListSubject.of(next.subject());
    if (subject == null) {
      throw new RequestRefusedException(
          Reason.INVALID, "no list has the number " + next.subject() + "; there are 1 to 6");
    }
    if (subject == ListSubject.ERRORS) {
      listErrors(next);
      return;
    }
    if (subject == ListSubject.ASSOCIATIONS) {
      viewer.requests().associations().list(next);
      return;
    }
    if (subject == ListSubject.TENANTS) {
      listTenants(next);
      return;
    }
    ProgramSession listed = server.visible(viewer.socket().peer(), next.session());
    if (listed == null) {
      viewer.send(new DaemonMessage.ObjectsListed(next.request(), 0, 0, ""));
      return;
    }
    Page page = new Page(next.request(), listed);
    int from = listed.number() == next.session() ? Math.max(next.index(), 0) : 0;
    switch (subject) {
      case SESSIONS -> listSession(page);
      case CONNECTIONS -> listConnections(page, from);
      default -> listListeners(page, from);
    }
  }

  private void listErrors(ProgramMessage.ListObjects next) {
    PeerCredentials peer = viewer.socket().peer();
    Page page = new Page(next.request(), null);
    for (DistinctError error : server.events().errors().from(next.index())) {
      boolean visible = server.permissions().seesAll(peer) || error.user() == peer.uid();
      if (visible && !page.add(ObjectJson.error(error))) {
        page.send(1, error.number());
        return;
      }
    }
    page.send(0, 0);
  }

  private void listTenants(ProgramMessage.ListObjects next) {
    PeerCredentials peer = viewer.socket().peer();
    Page page = new Page(next.request(), null);
    int index = 0;
    for (InterfaceEngine on : server.interfaces().all()) {
      EngineTenants tenants = on.engine().tenants();
      for (EngineTenants.Entry each :
          tenants == null ? List.<EngineTenants.Entry>of() : tenants.all()) {
        boolean visible =
            server.permissions().seesAll(peer) || each.share().users().contains(peer.uid());
        if (index >= next.index() && visible && !page.add(ObjectJson.tenant(on, each))) {
          page.send(1, index);
          return;
        }
        index++;
      }
    }
    page.send(0, 0);
  }

  private void listSession(Page page) {
    copy(
        page,
        Session::status,
        status -> {
          page.add(ObjectJson.session(page.listed, status));
          page.send(-1);
        });
  }

  /** Lists the streams of one section, and goes on with the next one in the next page. */
  private void listStreams(Page page, ProgramSockets sockets, int from) {
    int number = from / Doorbells.STREAMS;
    if (number >= sockets.sections().size()) {
      page.send(-1);
      return;
    }
    StreamSection section = sockets.sections().get(number);
    InterfaceEngine on = server.interfaces().all().get(number);
    List<ConnectionStatus> streams = new ArrayList<>(CONNECTIONS);
    copyOn(
        page,
        on,
        () -> section.status(from % Doorbells.STREAMS, CONNECTIONS, streams),
        next -> {
          for (ConnectionStatus each : streams) {
            if (!page.add(ObjectJson.stream(page.listed, on, each))) {
              page.send(number * Doorbells.STREAMS + each.number());
              return;
            }
          }
          page.send(
              next < 0 ? (number + 1) * Doorbells.STREAMS : number * Doorbells.STREAMS + next);
        });
  }

  private void listConnections(Page page, int from) {
    if (page.listed.sockets() != null) {
      listStreams(page, page.listed.sockets(), from);
      return;
    }
    List<ConnectionStatus> copied = new ArrayList<>(CONNECTIONS);
    copy(
        page,
        session -> session.connections(from, CONNECTIONS, copied),
        next -> {
          for (ConnectionStatus each : copied) {
            if (!page.add(ObjectJson.connection(page.listed, each))) {
              page.send(ConnectionId.index(each.number()));
              return;
            }
          }
          page.send(next == null ? -1 : next);
        });
  }

  private void listListeners(Page page, int from) {
    if (page.listed.sockets() != null) {
      addListeners(page, from, page.listed.sockets().listeners().statuses());
      return;
    }
    copy(
        page,
        Session::listeners,
        listeners -> addListeners(page, from, listeners == null ? List.of() : listeners));
  }

  private void addListeners(Page page, int from, List<ListenerStatus> listeners) {
    for (int i = from; i < listeners.size(); i++) {
      if (!page.add(ObjectJson.listener(page.listed, listeners.get(i)))) {
        page.send(i);
        return;
      }
    }
    page.send(-1);
  }

  /** Copies from a session on its engine's thread. */
  private interface EngineCopy<T> {
    T of(Session session);
  }

  /**
   * Copies from the listed session on its engine's thread.
   *
   * @param then takes the copy; null if there is no session yet
   */
  private <T> void copy(Page page, EngineCopy<T> copy, Consumer<T> then) {
    Session session = page.listed.session();
    if (session == null) {
      then.accept(null);
      return;
    }
    copyOn(page, page.listed.daemonInterface(), () -> copy.of(session), then);
  }

  private <T> void copyOn(Page page, InterfaceEngine on, Supplier<T> copy, Consumer<T> then) {
    copied = page;
    copiedOn = on;
    on.engine()
        .execute(() -> {
          T value = null;
          RequestRefusedException failure = null;
          try {
            value = copy.get();
          } catch (RuntimeException | Error e) {
            server.faults().onFault("a list for " + viewer.name(), e);
            failure = new RequestRefusedException(Reason.INTERNAL, "the list failed: " + e);
          }
          T taken = value;
          RequestRefusedException refusal = failure;
          server.execute(() -> {
            if (copied != page) {
              // The engine had stalled; the request is answered already.
              return;
            }
            copied = null;
            if (refusal == null) {
              then.accept(taken);
            } else {
              viewer.answer(page.request, refusal);
            }
          });
        });
  }

  /** The lines of one reply: errors, or objects of one session. */
  private final class Page {
    final int request;
    final ProgramSession listed;
    private final StringBuilder lines = new StringBuilder();
    private int octets;

    Page(int request, ProgramSession listed) {
      this.request = request;
      this.listed = listed;
    }

    /** Adds a line; false if there is no room for it. */
    boolean add(String line) {
      int more = line.getBytes(StandardCharsets.UTF_8).length + 1;
      if (octets + more > ROOM) {
        return false;
      }
      octets += more;
      lines.append(line).append('\n');
      return true;
    }

    /**
     * Sends the reply.
     *
     * @param index where to go on in this session; -1: go on with the next one
     */
    void send(int index) {
      boolean done = index < 0;
      send(listed.number() + (done ? 1 : 0), done ? 0 : index);
    }

    /** Sends the reply with the place to go on at. */
    void send(int session, int index) {
      viewer.send(new DaemonMessage.ObjectsListed(request, session, index, lines.toString()));
    }
  }
}
