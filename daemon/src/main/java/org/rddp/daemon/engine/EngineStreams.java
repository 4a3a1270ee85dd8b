package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.rddp.client.types.Reason;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;

/**
 * The octet streams of an engine, and its end of the interface's sockets-port. Engine thread only.
 */
public final class EngineStreams {
  /** Nanoseconds between two looks at the sockets of a busy engine. */
  private static final long LOOKS = TimeUnit.MICROSECONDS.toNanos(20);

  /** Nanoseconds between two looks at streams whose program has left. */
  private static final long LEFT = TimeUnit.MILLISECONDS.toNanos(1);

  /** Nanoseconds for which a host is known not to speak rddp. */
  private static final long STRANGE = TimeUnit.SECONDS.toNanos(5);

  /** The most such hosts. */
  private static final int STRANGERS = 256;

  private static final int FIRST_SIZE = 16;

  /** The bit of an event's token that says that it is of the stream's bridge. */
  private static final int BRIDGE = 1 << 30;

  private final Engine engine;
  private final StreamPorts ports;
  private final int port;
  private final StreamKeeper keeper;
  private final EventSet events;
  private final List<StreamSection> sections = new ArrayList<>();
  private final Map<HostAddress, Long> strangers = new ConcurrentHashMap<>();
  private OctetStream[] streams = new OctetStream[FIRST_SIZE];
  private int[] generations = new int[FIRST_SIZE];
  private int count;
  private OctetStream[] news = new OctetStream[FIRST_SIZE];
  private OctetStream[] spare = new OctetStream[FIRST_SIZE];
  private int newsCount;
  private long lookedAt;

  /** What has changed at a bridge's socket. */
  private int changed;

  /**
   * Creates the streams of an engine, none.
   *
   * @param ports where programs listen
   * @param port the interface's sockets-port; 0: nobody reaches them
   * @throws SystemCallException if no descriptor is left
   */
  EngineStreams(Engine engine, StreamPorts ports, int port, StreamKeeper keeper)
      throws SystemCallException {
    this.engine = engine;
    this.ports = ports;
    this.port = port;
    this.keeper = keeper;
    events = EventSet.create();
  }

  /** Begins to listen at the interface's sockets-port. */
  void open() {
    if (port != 0) {
      engine.listenAlways(port, (connection, from, fromPort) -> onIncoming(connection));
    }
  }

  Engine engine() {
    return engine;
  }

  StreamPorts ports() {
    return ports;
  }

  private StreamHandler onIncoming(TcpConnection stream) {
    if (engine.isClosing()) {
      return null;
    }
    IncomingStream incoming = new IncomingStream(engine, keeper, ports, stream);
    engine.beginStartup(stream.remoteAddress(), incoming);
    return incoming.begin();
  }

  /** The interface's sockets-port. */
  int port() {
    return port;
  }

  StreamKeeper keeper() {
    return keeper;
  }

  /** The sockets that wake the engine's thread. */
  EventSet events() {
    return events;
  }

  // ---- Programs ----

  /** Serves the streams of a program. */
  public void begin(StreamSection section) {
    section.shareHeldMemory(engine.sessions(), sections);
    sections.add(section);
  }

  /**
   * Lets a program wake the engine's thread while it sleeps.
   *
   * @param asleep the program's sections on all engines of the thread
   */
  public void sleepWith(List<StreamSection> asleep, ProgramSignals signals) {
    StreamSections sections = new StreamSections(asleep);
    asleep.forEach(each -> each.sleepAs(sections));
    engine.sleep().add(sections, signals);
  }

  /** Serves a program no more that has left; its streams end when nobody holds them. */
  public void end(StreamSection section) {
    section.leave();
    if (section.sleepsAs() != null) {
      engine.sleep().remove(section.sleepsAs());
    }
    forget(section);
  }

  private void forget(StreamSection section) {
    if (section.hasLeft() && section.isEmpty()) {
      sections.remove(section);
    }
  }

  /**
   * Opens a stream.
   *
   * @param remotePort where the peer's program listens
   * @param localPort that the peer is told; 0: that of TCP
   * @param timeout nanoseconds until it has failed
   */
  public OctetStream connect(
      StreamParts parts, HostAddress remote, int remotePort, int localPort, long timeout)
      throws RequestRefusedException {
    if (engine.isClosing()) {
      throw new RequestRefusedException(Reason.STATE, "the daemon ends");
    }
    if (parts.section().hasLeft()) {
      throw new RequestRefusedException(Reason.STATE, "the session has ended");
    }
    return new StreamOpening(engine, remote, remotePort, localPort, timeout).begin(parts);
  }

  /** Whether a host has answered a moment ago that it does not speak rddp. Any thread. */
  public boolean isStranger(HostAddress host) {
    Long until = strangers.get(host);
    return until != null && until - engine.tcp().now() > 0;
  }

  /** A host has answered that it does not speak rddp. */
  void addStranger(HostAddress host) {
    long now = engine.tcp().now();
    if (strangers.size() >= STRANGERS) {
      strangers.values().removeIf(until -> until - now <= 0);
    }
    if (strangers.size() >= STRANGERS) {
      Iterator<HostAddress> any = strangers.keySet().iterator();
      any.next();
      any.remove();
    }
    strangers.put(host, now + STRANGE);
  }

  /** When to look at doorbells that nobody can ring any more; {@link Long#MAX_VALUE} if all can. */
  long nextDeadline() {
    for (int i = 0; i < sections.size(); i++) {
      if (sections.get(i).hasLeft()) {
        return engine.tcp().now() + LEFT;
      }
    }
    return Long.MAX_VALUE;
  }

  // ---- The turn ----

  /** Takes what programs have rung for, before the engine sends. */
  int take() {
    int work = 0;
    for (int i = 0; i < sections.size(); i++) {
      work += sections.get(i).take();
    }
    return work;
  }

  /** Tells programs on which processor, from 0 on, the engine's thread runs. */
  void runsOn(int processor) {
    for (int i = 0; i < sections.size(); i++) {
      sections.get(i).runsOn(processor);
    }
  }

  /** Tells programs what has happened in the turn; looks for closed sockets now and then. */
  int flush(long now) {
    // Those that are not done are listed again, for the next turn.
    int listed = newsCount;
    newsCount = 0;
    OctetStream[] told = news;
    news = spare;
    spare = told;
    for (int i = 0; i < listed; i++) {
      OctetStream stream = told[i];
      told[i] = null;
      attempt(stream, FLUSH);
    }
    // What has changed before a sleep, and ended the one before, does not end it.
    if (count == 0 || (now - lookedAt < LOOKS && !engine.sleep().isAnnounced())) {
      return newsCount;
    }
    lookedAt = now;
    int ready = events.poll();
    for (int i = 0; i < ready; i++) {
      long token = events.token(i);
      int slot = (int) token & ~BRIDGE;
      OctetStream stream = streams[slot];
      if (stream == null || generations[slot] != (int) (token >>> Integer.SIZE)) {
        continue;
      }
      if (((int) token & BRIDGE) == 0) {
        attempt(stream, GONE);
      } else {
        changed = events.what(i);
        attempt(stream, onBridge);
      }
    }
    return ready + newsCount;
  }

  private static final Consumer<OctetStream> FLUSH = OctetStream::flush;
  private static final Consumer<OctetStream> GONE = OctetStream::onHoldersGone;
  private static final Consumer<OctetStream> RUNG = OctetStream::onDoorbell;
  private final Consumer<OctetStream> onBridge = this::onBridge;

  private void onBridge(OctetStream stream) {
    stream.onBridge(changed);
  }

  /** A stream's doorbell has rung. */
  void ring(OctetStream stream) {
    attempt(stream, RUNG);
  }

  /** An internal error ends one stream. */
  private void attempt(OctetStream stream, Consumer<OctetStream> what) {
    try {
      what.accept(stream);
    } catch (RuntimeException | Error e) {
      engine.fault("an octet stream", e);
      stream.dismiss();
    }
  }

  void addNews(OctetStream stream) {
    if (newsCount == news.length) {
      news = Arrays.copyOf(news, 2 * newsCount);
    }
    news[newsCount++] = stream;
  }

  /**
   * Watches a stream's socket, until {@link #unwatch}.
   *
   * @throws IllegalStateException if that cannot be
   */
  void watch(OctetStream stream, StreamParts parts) {
    int slot = 0;
    while (slot < streams.length && streams[slot] != null) {
      slot++;
    }
    if (slot == streams.length) {
      streams = Arrays.copyOf(streams, 2 * slot);
      generations = Arrays.copyOf(generations, 2 * slot);
    }
    generations[slot]++;
    if (stream.isOpen()) {
      watch(parts.socket(), EventSet.PEER_ENDED, slot);
    }
    streams[slot] = stream;
    stream.slot(slot);
    count++;
  }

  /** Watches the socket of a stream's bridge, too. */
  void watch(OctetStream stream, PairedSocket bridge) {
    int wanted = EventSet.IN | EventSet.OUT | EventSet.PEER_ENDED;
    watch(bridge, wanted, stream.slot() | BRIDGE);
  }

  private void watch(PairedSocket socket, int wanted, int token) {
    int generation = generations[token & ~BRIDGE];
    try {
      events.add(
          socket.descriptor(),
          wanted,
          (long) generation << Integer.SIZE | Integer.toUnsignedLong(token));
    } catch (SystemCallException e) {
      throw new IllegalStateException("no room to watch a socket", e);
    }
  }

  void unwatch(OctetStream stream) {
    if (streams[stream.slot()] == stream) {
      streams[stream.slot()] = null;
      count--;
      forget(stream.parts().section());
    }
  }

  // ---- They go on in another engine ----

  /** The sections of programs, in the order in which the other engine begins to serve them. */
  public List<StreamSection> sections() {
    return List.copyOf(sections);
  }

  /** What the streams share with programs, in the order in which they go on. */
  public List<StreamParts> parts() {
    return all().stream().map(OctetStream::parts).toList();
  }

  /** The streams. */
  List<OctetStream> all() {
    return Arrays.stream(streams).filter(Objects::nonNull).toList();
  }

  /**
   * Transfers what it has itself.
   *
   * @param all the streams
   */
  void transfer(Snapshot snapshot, References<OctetStream> all) {
    snapshot.begin(EngineStreams.class);
    if (snapshot.number("sections", sections.size()) != sections.size()) {
      throw snapshot.wrong("not as many sections as the owner has");
    }
    sections.forEach(each -> each.transfer(snapshot));
    lookedAt = snapshot.number("lookedAt", lookedAt);
    List<HostAddress> hosts = List.copyOf(strangers.keySet());
    for (int i = 0; snapshot.flag("strangers", i < hosts.size()); i++) {
      HostAddress written = snapshot.reads() ? null : hosts.get(i);
      HostAddress host = HostAddress.transfer(snapshot, written);
      strangers.put(host, snapshot.number("until", written == null ? 0 : strangers.get(written)));
    }
    int listed = newsCount;
    for (int i = 0; snapshot.flag("news", i < listed); i++) {
      OctetStream each = all.require(snapshot, "stream", snapshot.reads() ? null : news[i]);
      if (snapshot.reads()) {
        each.list();
      }
    }
    snapshot.end();
  }

  /** Others go on: does nothing more. */
  void retire() {
    all().forEach(OctetStream::retire);
    events.close();
  }

  // ---- The end ----

  /** Resets what programs hold, and counts what they have closed and is still being sent. */
  int closeGracefully() {
    for (OctetStream each : streams) {
      if (each != null && !each.isClosing()) {
        each.dismiss();
      }
    }
    return closing();
  }

  /** Streams that nobody holds, whose last octets are being sent. */
  int closing() {
    int closing = 0;
    for (OctetStream each : streams) {
      closing += each != null && each.isClosing() ? 1 : 0;
    }
    return closing;
  }

  /** Ends all streams, whose stack ends. */
  void abandon() {
    newsCount = 0;
    for (OctetStream each : streams.clone()) {
      if (each != null) {
        each.abandon();
      }
    }
  }

  /** Streams that have not ended. */
  int count() {
    return count;
  }

  /** Ends everything. The engine has no further turn. */
  public void close() {
    abandon();
    events.close();
  }
}
