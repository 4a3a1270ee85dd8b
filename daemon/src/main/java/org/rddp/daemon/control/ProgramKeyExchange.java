package org.rddp.daemon.control;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ip.HostAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.KeyExchange;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.KeyDatagram;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.snapshot.Snapshot;

/**
 * Passes the datagrams of IKE between a program and the interface of its session. Control thread
 * only, except for {@link KeyExchange}.
 */
final class ProgramKeyExchange implements KeyExchange {
  /** The most messages on their way to the program; further ones are dropped. */
  private static final int MOST_WAITING = 64;

  private final ControlServer server;
  private final ProgramSession program;

  /** Messages that the control thread has not handled yet. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** The interface's security while this is its key exchange, otherwise null; engine thread. */
  private IpSecurity security;

  ProgramKeyExchange(ControlServer server, ProgramSession program) {
    this.server = server;
    this.program = program;
  }

  /** Begins to pass on what is for a daemon of IKE. */
  void begin(ProgramMessage.BeginKeyExchange begin) throws RequestRefusedException {
    check();
    program.onEngine(
        begin.request(),
        () -> {
          begin();
          return new DaemonMessage.Done(begin.request());
        });
  }

  private void begin() throws RequestRefusedException {
    IpSecurity chosen = ProgramAssociations.security(program.daemonInterface());
    try {
      chosen.begin(this);
    } catch (IllegalStateException e) {
      throw new RequestRefusedException(Reason.STATE, e.getMessage());
    }
    security = chosen;
  }

  /** Transfers whether it passes on datagrams, while no request and no datagram is in work. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ProgramKeyExchange.class);
    if (snapshot.flag("security", security != null) && snapshot.reads()) {
      try {
        begin();
      } catch (RequestRefusedException e) {
        throw snapshot.wrong(e.getMessage());
      }
    }
    snapshot.end();
  }

  /** Sends a datagram of a daemon of IKE. */
  void send(ProgramMessage.SendKeyDatagram send) throws RequestRefusedException {
    check();
    HostAddress local = ControlAddresses.host(send.local());
    HostAddress remote = ControlAddresses.host(send.remote());
    program.onEngine(
        send.request(),
        () -> {
          if (security == null) {
            throw new RequestRefusedException(
                Reason.STATE, "the session does not exchange keys: BeginKeyExchange comes first");
          }
          try {
            security.send(local, remote, send.datagram().octets(), System.nanoTime());
          } catch (IllegalArgumentException e) {
            throw new RequestRefusedException(Reason.INVALID, e.getMessage());
          } catch (IllegalStateException e) {
            throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
          }
          return new DaemonMessage.Done(send.request());
        });
  }

  private void check() throws RequestRefusedException {
    server.permissions().checkAssociations(program.socket().peer());
  }

  /** Ends with the session. Engine thread. */
  void end() {
    if (security != null) {
      security.end(this);
      security = null;
    }
  }

  @Override
  public void onDatagram(HostAddress local, HostAddress remote, byte[] datagram) {
    if (datagram.length <= KeyDatagram.MOST) {
      tell(() ->
          new DaemonMessage.KeyDatagramReceived(
              ControlAddresses.of(local), ControlAddresses.of(remote), new KeyDatagram(datagram)));
    }
  }

  @Override
  public void onNeed(HostAddress local, int localPort, HostAddress remote, int remotePort) {
    tell(() ->
        new DaemonMessage.AssociationNeeded(
            ControlAddresses.of(local), localPort, ControlAddresses.of(remote), remotePort));
  }

  /** Sends an event, unless the program does not keep up. */
  private void tell(Supplier<DaemonMessage> event) {
    if (waiting.get() >= MOST_WAITING) {
      return;
    }
    waiting.incrementAndGet();
    server.execute(() -> {
      waiting.decrementAndGet();
      if (program.link().unsent() < MOST_WAITING) {
        program.send(event.get());
      }
    });
  }
}
