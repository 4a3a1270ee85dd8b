package org.rddp.mirror;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.rddp.client.DaemonInterface;
import org.rddp.client.DaemonUnavailableException;
import org.rddp.client.Rddp;
import org.rddp.client.SessionLostException;

/**
 * The process beside a daemon of IKE, in its network namespace: a TUN with the addresses of the
 * daemon's interface, and a socket of NETLINK_XFRM. When the daemon ends, it goes on with the next.
 */
public final class Mirror implements AutoCloseable {
  /** Time in ns between two looks at the daemon's counts, and between two tries to connect. */
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  /** The largest datagram that the control protocol carries, with a header of IPv6, fits less. */
  private static final int MOST_MTU = 3800;

  private final NetlinkSocket netlink;
  private final TunDevice tun;
  private final IkeRelay relay;
  private final List<InetAddress> addresses;
  private final Consumer<String> log;

  private Mirror(DaemonInterface at, String name, Consumer<String> log) throws IOException {
    this.log = log;
    addresses = at.addresses();
    TunDevice.requireOnlyWayOut(name);
    netlink = new NetlinkSocket();
    tun = new TunDevice(name, Math.min(at.mtu(), MOST_MTU));
    tun.configure(addresses);
    relay = new IkeRelay(tun, log);
    Thread.ofPlatform().daemon().name("rddp-ike").start(relay::run);
  }

  /**
   * Makes the TUN and the socket, when there is a daemon.
   *
   * @param at asks the daemon for its interface
   * @param name of the TUN
   * @param log gets lines about what happens, from several threads
   * @throws IOException if the kernel does not let us; the message says why
   */
  public static Mirror start(Supplier<DaemonInterface> at, String name, Consumer<String> log)
      throws IOException, InterruptedException {
    return new Mirror(await(at, log), name, log);
  }

  /** Asks a daemon, and waits for one if there is none. */
  private static <T> T await(Supplier<T> question, Consumer<String> log)
      throws InterruptedException {
    boolean waiting = false;
    while (true) {
      try {
        return question.get();
      } catch (DaemonUnavailableException e) {
        if (!waiting) {
          log.accept("waiting for the daemon: " + e.getMessage());
          waiting = true;
        }
        TimeUnit.NANOSECONDS.sleep(PAUSE);
      }
    }
  }

  /**
   * Serves one daemon after the other.
   *
   * @param connect opens a session with the daemon
   * @throws IOException if the kernel refuses what is needed, or the TUN is gone
   */
  public void run(Supplier<Rddp> connect) throws IOException, InterruptedException {
    while (true) {
      try (Rddp session = await(connect, log)) {
        log.accept("mirroring for " + session.interfaceName());
        serve(session);
      } catch (SessionLostException e) {
        log.accept("the daemon has ended: " + e.getMessage());
      } finally {
        relay.use(null);
      }
    }
  }

  private void serve(Rddp session) throws IOException {
    Xfrm xfrm = new Xfrm(new HashSet<>(addresses));
    AssociationMirror mirror = new AssociationMirror(session, netlink::send, log);
    session.securityAssociations().exchangeKeys(relay);
    relay.use(session.securityAssociations());
    drain();
    mirror.begin();
    long watchAt = System.nanoTime() + PAUSE;
    while (true) {
      netlink.await(Math.max(0, watchAt - System.nanoTime()));
      receive(xfrm, mirror);
      if (watchAt - System.nanoTime() <= 0) {
        watchAt += PAUSE;
        relay.check();
        // Throws if the daemon has ended.
        session.await(Duration.ZERO);
        mirror.watchLifetimes();
      }
    }
  }

  /** Drops events from before this session: the associations are asked for anew. */
  private void drain() throws IOException {
    boolean more = true;
    while (more) {
      try {
        more = netlink.receive(messages -> {});
      } catch (NetlinkSocket.LostException e) {
        more = true;
      }
    }
  }

  private void receive(Xfrm xfrm, AssociationMirror mirror) throws IOException {
    boolean more = true;
    while (more) {
      try {
        more = netlink.receive(messages -> xfrm.read(messages, mirror));
      } catch (NetlinkSocket.LostException e) {
        mirror.onLost();
      }
      mirror.flush();
    }
  }

  @Override
  public void close() {
    tun.close();
    netlink.close();
  }
}
