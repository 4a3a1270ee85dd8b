package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.mpa.MpaStartup;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.TcpConnection;

/**
 * Transfers the octet streams of an engine, and the peers' connections that are to become some: at
 * first which there are, so that what is below can refer to them, then their state.
 */
final class StreamsTransfer {
  private final EngineStreams streams;
  private final List<StreamParts> parts;
  private final StreamReferences references;
  private final List<OctetStream> all;
  private final List<IncomingStream> starting = new ArrayList<>();

  /**
   * Begins with the streams that there are: none when they are read.
   *
   * @param owned what the owner has of them
   * @param connections of TCP
   */
  StreamsTransfer(EngineStreams streams, OwnedStreams owned, List<TcpConnection> connections) {
    this.streams = streams;
    parts = owned.parts();
    references =
        new StreamReferences(new References<>(connections), new References<>(owned.listeners()));
    all = new ArrayList<>(streams.all());
    for (TcpConnection each : connections) {
      if (each.user() instanceof MpaStartup startup
          && startup.owner() instanceof IncomingStream incoming) {
        starting.add(incoming);
      }
    }
  }

  /** The connections of TCP that are theirs. */
  Set<TcpConnection> connections() {
    Set<TcpConnection> theirs = new HashSet<>();
    all.forEach(each -> theirs.add(each.tcp()));
    starting.forEach(each -> theirs.add(each.tcp()));
    return theirs;
  }

  /** Transfers which there are. */
  void begin(Snapshot snapshot) {
    snapshot.begin(StreamsTransfer.class);
    if (snapshot.number("count", all.size()) != parts.size()) {
      throw snapshot.wrong("not as many streams as there are parts");
    }
    for (int i = 0; i < parts.size(); i++) {
      OctetStream written = snapshot.reads() ? null : all.get(i);
      OctetStream each = OctetStream.transfer(snapshot, written, references, streams, parts.get(i));
      if (snapshot.reads()) {
        all.add(each);
      }
    }
    int incoming = starting.size();
    for (int i = 0; snapshot.flag("starting", i < incoming); i++) {
      TcpConnection written = snapshot.reads() ? null : starting.get(i).tcp();
      TcpConnection tcp = references.connections().require(snapshot, "tcp", written);
      if (snapshot.reads()) {
        starting.add(new IncomingStream(streams.engine(), streams.keeper(), streams.ports(), tcp));
      }
    }
    snapshot.end();
  }

  /** The streams of DDP whose state follows. */
  List<DdpStream> ddp() {
    return all.stream().filter(each -> !each.isOver()).map(OctetStream::ddp).toList();
  }

  /** The memories of streams. */
  List<Memories.Range> memories() {
    return parts.stream()
        .map(each -> new Memories.Range(each.memory().address(), each.memory().length()))
        .toList();
  }

  /** The connections that are to become streams. */
  List<IncomingStream> starting() {
    return starting;
  }

  /** Adds their deadlines, set or not. */
  void addDeadlines(Collection<Deadline> deadlines) {
    all.forEach(each -> each.addDeadlines(deadlines));
  }

  /** Transfers the state of all. */
  void transfer(Snapshot snapshot, DdpReferences below) {
    snapshot.begin(StreamsTransfer.class);
    all.forEach(each -> each.transfer(snapshot, references, below));
    starting.forEach(each -> each.transfer(snapshot, references.listeners()));
    streams.transfer(snapshot, new References<>(all));
    snapshot.end();
  }
}
