package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaStartup;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;

/**
 * Lets another engine go on with what an engine does: transfers its sessions and octet streams, and
 * MPA, DDP and RDMAP below them, behind the state of TCP. Between two turns; docs/handover.md.
 */
public final class EngineHandOver {
  private final Engine engine;

  /** All connections of TCP. */
  private final List<TcpConnection> transports;

  /** The memories of programs. */
  private final List<Memories.Range> programs;

  private final List<StreamHandler> handlers = new ArrayList<>();

  /** Peers' queue pairs whose Request has not come, or that are kept for a session's. */
  private final List<IncomingIntroduction> introductions = new ArrayList<>();

  /** The octet streams; null for an engine that serves none. */
  private final StreamsTransfer octets;

  /**
   * Begins the hand-over from an engine, or to a new one that has nothing but the same sections of
   * octet streams, in the same order.
   *
   * @param transports the connections in the order in which TCP is written
   * @param programs the memories of programs, without those of octet streams; the reader has them
   *     in the same order
   * @param owned what the owner has of the octet streams; {@link OwnedStreams#NONE} without
   */
  public EngineHandOver(
      Engine engine,
      List<TcpConnection> transports,
      List<Memories.Range> programs,
      OwnedStreams owned) {
    this.engine = engine;
    this.transports = transports;
    this.programs = programs;
    for (TcpConnection each : transports) {
      if (each.user() instanceof MpaStartup startup
          && startup.owner() instanceof IncomingIntroduction incoming) {
        introductions.add(incoming);
      }
    }
    EngineStreams served = engine.streams();
    octets = served == null ? null : new StreamsTransfer(served, owned, transports);
  }

  /**
   * Writes what is above TCP. Afterwards only {@link #retire} may follow, or, if no other engine
   * goes on, anything.
   */
  public void write(SnapshotWriter snapshot) {
    transports.forEach(each -> handlers.add(each.user()));
    transfer(snapshot, null);
  }

  /**
   * Goes on with what another engine has written.
   *
   * @param sessions makes a session of this engine, which has not begun, by its number in the
   *     daemon, with the rings, limits and owner of the former one; null if it has none
   */
  public void read(SnapshotReader snapshot, IntFunction<Session> sessions) {
    transfer(snapshot, sessions);
  }

  /**
   * Gives back the packets and the memory of the layers above TCP, without a word to peers and
   * programs, once all is written.
   */
  public void retire() {
    handlers.forEach(EngineHandOver::retire);
    connections().forEach(connection -> connection.ddp().retire());
    if (octets != null) {
      engine.streams().retire();
    }
  }

  private static void retire(StreamHandler handler) {
    if (handler instanceof MpaStartup startup) {
      startup.retire();
      if (startup.owner() instanceof IncomingStream incoming) {
        incoming.retire();
      }
    } else if (handler instanceof MpaConnection connection) {
      connection.retire();
    }
  }

  private void transfer(Snapshot snapshot, IntFunction<Session> made) {
    snapshot.begin(EngineHandOver.class);
    List<SendTenant> tenants = engine.transfer(snapshot);
    transferSessions(snapshot, made);
    References<TcpConnection> tcp = new References<>(transports);
    engine.sessions().forEach(session -> session.transfer(snapshot, tcp));
    if (octets != null) {
      octets.begin(snapshot);
    }
    List<DdpStream> streams = streams();
    DdpReferences references = references(streams, snapshot.reads() ? List.of() : windows());
    engine.ddp().transfer(snapshot, references, streams, tenants);
    engine.sessions().forEach(session -> session.transferStreams(snapshot, references, streams));
    if (octets != null) {
      octets.transfer(snapshot, references);
    }
    transferIntroductions(snapshot, tcp);
    transferRejected(snapshot, tcp);
    engine.transferTraced(snapshot, new References<>(connections()));
    transferOrder(snapshot);
    snapshot.end();
  }

  private void transferSessions(Snapshot snapshot, IntFunction<Session> made) {
    List<Session> written = List.copyOf(engine.sessions());
    int count = snapshot.number("sessions", written.size(), 0, Integer.MAX_VALUE);
    for (int i = 0; i < count; i++) {
      int number = snapshot.number("session", snapshot.reads() ? 0 : written.get(i).number());
      if (snapshot.reads()) {
        Session session = made.apply(number);
        if (session == null) {
          throw snapshot.wrong("there is no session " + number + ", or it is there twice");
        }
        engine.begin(session);
      }
    }
  }

  /** Transfers peers' queue pairs that no queue pair of a session has taken. */
  private void transferIntroductions(Snapshot snapshot, References<TcpConnection> tcp) {
    int count = introductions.size();
    for (int i = 0; snapshot.flag("introductions", i < count); i++) {
      TcpConnection written = snapshot.reads() ? null : introductions.get(i).tcp();
      TcpConnection each = tcp.require(snapshot, "tcp", written);
      if (snapshot.reads()) {
        if (each.hasUser() || engine.introducer() == null) {
          throw snapshot.wrong("a connection is no peer's queue pair");
        }
        introductions.add(engine.introducer().inherit(each));
      }
      introductions.get(i).transfer(snapshot);
    }
  }

  /** Transfers the startups that a program has rejected, its own or the peer's: no session's. */
  private void transferRejected(Snapshot snapshot, References<TcpConnection> tcp) {
    Iterator<TcpConnection> written =
        snapshot.reads() ? List.<TcpConnection>of().iterator() : others();
    RejectedStartup user = new RejectedStartup();
    while (snapshot.flag("rejected", written.hasNext())) {
      TcpConnection each = tcp.require(snapshot, "tcp", snapshot.reads() ? null : written.next());
      if (snapshot.reads() ? each.hasUser() : !isRejected(each.user())) {
        throw snapshot.wrong("a connection belongs to no session or octet stream, or to several");
      }
      MpaTransfer.startup(snapshot, (MpaStartup) each.user(), each, user, user, user);
    }
  }

  /** The connections with users that are of no session and of no octet stream. */
  private Iterator<TcpConnection> others() {
    Set<TcpConnection> known = new HashSet<>();
    connections().forEach(connection -> known.addAll(connection.transports()));
    introductions.forEach(each -> known.add(each.tcp()));
    if (octets != null) {
      known.addAll(octets.connections());
    }
    return transports.stream().filter(each -> each.hasUser() && !known.contains(each)).iterator();
  }

  private static boolean isRejected(StreamHandler handler) {
    return handler instanceof MpaStartup startup
        && (startup.owner() instanceof RejectedStartup
            || (startup.owner() instanceof SessionConnection owner && owner.isGone()));
  }

  private void transferOrder(Snapshot snapshot) {
    List<Deadline> deadlines = new ArrayList<>();
    connections().forEach(connection -> connection.addDeadlines(deadlines));
    introductions.forEach(each -> each.addDeadline(deadlines));
    List<PendingStartup> startups = new ArrayList<>(connections());
    startups.addAll(introductions);
    if (octets != null) {
      octets.addDeadlines(deadlines);
      startups.addAll(octets.starting());
    }
    engine.transferOrder(snapshot, new References<>(deadlines), new References<>(startups));
  }

  private DdpReferences references(List<DdpStream> streams, List<DdpMemoryWindow> windows) {
    List<Memories.Range> memories = new ArrayList<>(programs);
    List<ProtectionDomain> domains = new ArrayList<>();
    for (Session session : engine.sessions()) {
      memories.add(session.requests().inlineMemory());
      domains.addAll(session.domains().all());
    }
    if (octets != null) {
      memories.addAll(octets.memories());
      octets.ddp().forEach(stream -> domains.add(stream.protectionDomain()));
    }
    return new DdpReferences(new Memories(memories), domains, streams, windows);
  }

  private List<SessionConnection> connections() {
    return engine.sessions().stream().flatMap(session -> session.connections().stream()).toList();
  }

  /** The streams of DDP, those of sessions first. */
  private List<DdpStream> streams() {
    List<DdpStream> all = new ArrayList<>();
    connections().forEach(connection -> all.add(connection.ddp()));
    if (octets != null) {
      all.addAll(octets.ddp());
    }
    return all;
  }

  private List<DdpMemoryWindow> windows() {
    return engine.sessions().stream()
        .flatMap(session -> session.memory().windows().stream())
        .toList();
  }
}
