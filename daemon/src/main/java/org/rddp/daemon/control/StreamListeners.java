package org.rddp.daemon.control;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.ListenerStatus;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.Snapshot;

/**
 * Makes and ends the listeners of a session for octet streams, and finds ports for them. Control
 * thread only.
 */
final class StreamListeners {
  /** The most listeners of a session: they take a socket and a port, and nothing of the engines. */
  static final int MOST = 256;

  private static final int FIRST_EPHEMERAL_PORT = 32768;
  private static final int EPHEMERAL_PORTS = 28232;

  private final ControlServer server;
  private final StreamService service;
  private final ProgramSockets sockets;
  private final Quota quota = new Quota("listeners of this program", MOST, null);
  private final Map<Integer, ProgramListener> listeners = new TreeMap<>();

  StreamListeners(ControlServer server, StreamService service, ProgramSockets sockets) {
    this.server = server;
    this.service = service;
    this.sockets = sockets;
  }

  /** Makes a listener, and answers the program. */
  void listen(ProgramMessage.StreamListen listen) throws RequestRefusedException {
    listen(listen, true);
  }

  /**
   * Makes a listener.
   *
   * @param mayWait whether this is the first try
   */
  private void listen(ProgramMessage.StreamListen listen, boolean mayWait)
      throws RequestRefusedException {
    ProgramSockets.checkPort(listen.port(), 0);
    PrivilegedPorts.check(sockets.process(), listen.port());
    HostAddress address = ControlAddresses.host(listen.address());
    boolean served =
        ControlAddresses.isAny(address)
            || server.interfaces().all().stream().anyMatch(each -> each.hasAddress(address));
    if (!served) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE, Errno.EADDRNOTAVAIL, "no interface has the address " + address);
    }
    boolean reuses = (listen.flags() & ProgramMessage.StreamListen.REUSE_PORT) != 0;
    boolean only6 = (listen.flags() & ProgramMessage.StreamListen.ONLY_IPV6) != 0;
    ProgramLink sending = mayWait ? sendingAt(listen.port()) : null;
    // A program that has closed a listener may have its port at once.
    service.watched().endLeft();
    int port = listen.port() == 0 ? freePort(address, only6) : listen.port();
    if (!isFree(address, only6, port, reuses, listen.socket())) {
      if (sending != null) {
        sending.execute(() -> server.execute(() -> listenAgain(listen)));
        return;
      }
      throw new RequestRefusedException(
          Reason.ADDRESS_IN_USE, "port %d is in use by another listener".formatted(port));
    }
    int backlog = backlog(listen.backlog());
    quota.take(1);
    int number = service.nextNumber();
    StreamListener made =
        new StreamListener(
            number,
            address,
            only6,
            reuses,
            listen.socket(),
            port,
            backlog,
            sockets.sections().toArray(StreamSection[]::new));
    try {
      PairedSocket programEnd = begin(made);
      sockets
          .program()
          .send(
              new DaemonMessage.StreamListening(
                  listen.request(), number, port, programEnd.descriptor()));
    } catch (SystemCallException e) {
      quota.give(1);
      throw new RequestRefusedException(Reason.RESOURCES, "no listener: " + e.getMessage());
    }
  }

  /** Begins to offer streams by a new socket, whose program's end it returns. */
  private PairedSocket begin(StreamListener made) throws SystemCallException {
    PairedSocket[] ends = ProgramListener.sockets();
    try {
      ProgramListener listener = new ProgramListener(server, sockets, made, ends[0]);
      service.begin(listener);
      listeners.put(made.number(), listener);
      return ends[1];
    } catch (SystemCallException e) {
      ends[0].close();
      ends[1].close();
      throw e;
    }
  }

  /**
   * A thread that sends to a program with a listener at a port: it may not have closed its own copy
   * of a socket that the program has got, and closed, already. Null if there is none.
   */
  private ProgramLink sendingAt(int port) {
    return service.ports().at(port).stream()
        .map(each -> service.owner(each).program())
        .filter(each -> !each.hasEnded())
        .map(ProgramSockets::link)
        .filter(each -> each.unsent() > 0)
        .findFirst()
        .orElse(null);
  }

  private void listenAgain(ProgramMessage.StreamListen listen) {
    if (!sockets.hasEnded()) {
      try {
        listen(listen, false);
      } catch (RequestRefusedException e) {
        sockets.program().answer(listen.request(), e);
      }
    }
  }

  private boolean isFree(
      HostAddress address, boolean only6, int port, boolean reuses, long socket) {
    for (StreamListener each : service.ports().at(port)) {
      boolean group =
          each.sharesPort(reuses, socket)
              && each.onlyIpv6() == only6
              && each.address().equals(address)
              && service.owner(each).program().user() == sockets.user();
      if (!group && each.overlaps(address, only6)) {
        return false;
      }
    }
    return true;
  }

  private int freePort(HostAddress address, boolean only6) throws RequestRefusedException {
    int start = ThreadLocalRandom.current().nextInt(EPHEMERAL_PORTS);
    for (int i = 0; i < EPHEMERAL_PORTS; i++) {
      int port = FIRST_EPHEMERAL_PORT + (start + i) % EPHEMERAL_PORTS;
      if (isFree(address, only6, port, false, 0)) {
        return port;
      }
    }
    throw new RequestRefusedException(Reason.ADDRESS_IN_USE, "no port is free");
  }

  /** Ends a listener; does nothing if it has ended. */
  void end(int number) {
    ProgramListener listener = listeners.remove(number);
    if (listener != null) {
      service.end(listener);
      quota.give(1);
    }
  }

  /**
   * Changes how many streams may wait to be accepted.
   *
   * @throws RequestRefusedException if there is no such listener
   */
  void backlog(int number, int asked) throws RequestRefusedException {
    ProgramListener listener = listeners.get(number);
    if (listener == null) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "no such listener");
    }
    listener.listener().backlog(backlog(asked));
  }

  private static int backlog(int asked) throws RequestRefusedException {
    if (asked < 1) {
      throw new RequestRefusedException(Reason.INVALID, "a backlog of " + asked);
    }
    return Math.min(asked, ProgramSockets.LAST_PORT);
  }

  /** Ends all. */
  void endAll() {
    List.copyOf(listeners.keySet()).forEach(this::end);
  }

  /** All of them, by number. */
  Collection<ProgramListener> all() {
    return listeners.values();
  }

  /** How they are at this moment. */
  List<ListenerStatus> statuses() {
    return listeners.values().stream().map(each -> each.listener().status()).toList();
  }

  /** Transfers them; when read, there are none before. */
  void transfer(Snapshot snapshot, HandedDescriptors descriptors) {
    Iterator<ProgramListener> written = List.copyOf(listeners.values()).iterator();
    while (snapshot.flag("listeners", written.hasNext())) {
      ProgramListener each =
          ProgramListener.transfer(
              snapshot, descriptors, server, sockets, snapshot.reads() ? null : written.next());
      if (snapshot.reads()) {
        inherit(snapshot, each);
      }
    }
  }

  private void inherit(Snapshot snapshot, ProgramListener listener) {
    try {
      service.begin(listener);
    } catch (SystemCallException e) {
      throw snapshot.wrong("no listener: " + e.getMessage());
    }
    quota.add(1);
    listeners.put(listener.listener().number(), listener);
  }
}
