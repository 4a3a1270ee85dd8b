package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaStartup;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStack;

/**
 * Lets an engine go on with a new stack and a new DDP engine, which take the state of the former
 * ones from a snapshot: TCP's, which comes first, and that of MPA, DDP and RDMAP. The sessions stay
 * as they are. Between two turns; docs/handover.md.
 */
public final class EngineHandOver {
  private final Engine engine;

  /** The handlers of the former connections of TCP; null for one without. */
  private final List<StreamHandler> handlers = new ArrayList<>();

  /** The connections of sessions, in the same order; then those whose TCP has ended. */
  private final List<SessionConnection> connections = new ArrayList<>();

  /** Begins the hand-over of an engine that serves sessions, and no octet streams or tenants. */
  public EngineHandOver(Engine engine) {
    this.engine = engine;
  }

  /**
   * Writes what is above TCP. Afterwards only {@link #read} may follow.
   *
   * @param former the connections in the order in which TCP has been written
   * @param programs the memories of programs
   */
  public void write(
      SnapshotWriter snapshot, List<TcpConnection> former, List<Memories.Range> programs) {
    if (engine.streams() != null) {
      throw snapshot.wrong("octet streams cannot be handed over yet");
    }
    Map<TcpConnection, SessionConnection> known = new LinkedHashMap<>();
    for (Session session : engine.sessions()) {
      session.forEachConnection(connection -> known.put(connection.tcp(), connection));
    }
    for (TcpConnection each : former) {
      SessionConnection connection = known.remove(each);
      if (each.user() instanceof MpaStartup startup
          && startup.owner() instanceof SessionConnection owner) {
        // Perhaps one that its program has rejected, and no longer one of the session's.
        connection = owner;
      }
      if (connection == null && each.hasUser()) {
        throw snapshot.wrong("a connection belongs to no session");
      }
      handlers.add(each.user());
      connections.add(connection);
    }
    for (SessionConnection each : known.values()) {
      if (each.tcp() == null) {
        throw snapshot.wrong("queue pairs that wait for their peers cannot be handed over yet");
      }
      // TCP has ended, and messages are held.
      handlers.add(null);
      connections.add(each);
    }
    transfer(snapshot, references(programs, windows()));
  }

  /**
   * Goes on with new parts, which have no connections of sessions yet.
   *
   * @param tcp has read its state
   * @param next the connections in the order in which they were read
   * @param programs the memories of programs, in the order in which they were written
   */
  public void read(
      SnapshotReader snapshot,
      TcpStack tcp,
      DdpEngine ddp,
      List<TcpConnection> next,
      List<Memories.Range> programs) {
    handlers.forEach(EngineHandOver::retire);
    engine.goOn(tcp, ddp);
    engine.sessions().forEach(Session::renew);
    for (int i = 0; i < connections.size(); i++) {
      SessionConnection connection = connections.get(i);
      if (connection != null) {
        connection.renew(i < next.size() ? next.get(i) : connection.tcp());
      }
    }
    transfer(snapshot, references(programs, List.of()));
    for (int i = 0; i < next.size(); i++) {
      next.get(i).resume(handlers.get(i));
    }
  }

  private static void retire(StreamHandler handler) {
    if (handler instanceof MpaStartup startup) {
      startup.retire();
    } else if (handler instanceof MpaConnection connection) {
      connection.retire();
    }
  }

  private List<DdpMemoryWindow> windows() {
    List<DdpMemoryWindow> windows = new ArrayList<>();
    engine.sessions().forEach(session -> windows.addAll(session.memory().windows()));
    return windows;
  }

  private DdpReferences references(List<Memories.Range> programs, List<DdpMemoryWindow> windows) {
    List<Memories.Range> memories = new ArrayList<>(programs);
    List<ProtectionDomain> domains = new ArrayList<>();
    for (Session session : engine.sessions()) {
      memories.add(session.requests().inlineMemory());
      domains.addAll(session.domains().all());
    }
    return new DdpReferences(new Memories(memories), domains, streams(), windows);
  }

  private List<DdpStream> streams() {
    return connections.stream().filter(Objects::nonNull).map(SessionConnection::ddp).toList();
  }

  private void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(EngineHandOver.class);
    List<DdpStream> streams = streams();
    engine.ddp().transfer(snapshot, references, streams);
    engine.sessions().forEach(session -> session.transfer(snapshot, references, streams));
    for (int i = 0; i < connections.size(); i++) {
      if (connections.get(i) != null) {
        handlers.set(i, connections.get(i).transfer(snapshot, handlers.get(i), references));
      }
    }
    snapshot.end();
  }
}
