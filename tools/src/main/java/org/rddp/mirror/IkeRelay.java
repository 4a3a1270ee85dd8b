package org.rddp.mirror;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.rddp.client.KeyExchangeHandler;
import org.rddp.client.RddpException;
import org.rddp.client.RefusedException;
import org.rddp.client.SecurityAssociations;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Passes IKE's datagrams between the TUN and the daemon, and nothing else: a packet that the kernel
 * has sealed itself with a key that the daemon has, too, must never leave.
 */
final class IkeRelay implements KeyExchangeHandler {
  private static final long ACQUIRE_AGAIN_AFTER = TimeUnit.SECONDS.toNanos(1);

  /** Peers of which it is remembered when an association was asked for. */
  private static final int MOST_PEERS = 4096;

  private final TunDevice tun;
  private final Consumer<String> log;
  private final Map<InetAddress, Long> acquired = new HashMap<>();
  private String lastRefusal = "";

  /** The daemon's interface; null while there is no daemon. */
  private volatile SecurityAssociations daemon;

  /** What has ended {@link #run}; null while it runs. */
  private volatile Exception end;

  IkeRelay(TunDevice tun, Consumer<String> log) {
    this.tun = tun;
    this.log = log;
  }

  /** Passes packets of the TUN on, until it fails: {@link #check} tells then. */
  void run() {
    try {
      while (true) {
        IkePacket packet = IkePacket.read(tun.read());
        SecurityAssociations current = daemon;
        if (packet != null && current != null) {
          send(current, packet);
        }
      }
    } catch (SystemCallException | IllegalStateException e) {
      end = e;
    }
  }

  /**
   * Checks that packets are passed on.
   *
   * @throws IOException if the TUN has failed
   */
  void check() throws IOException {
    Exception cause = end;
    if (cause != null) {
      throw new IOException("the TUN has ended: " + cause.getMessage(), cause);
    }
  }

  private void send(SecurityAssociations current, IkePacket packet) {
    try {
      current.send(packet.source(), packet.destination(), packet.datagram());
    } catch (RefusedException | IllegalArgumentException e) {
      if (!lastRefusal.equals(e.getMessage())) {
        lastRefusal = e.getMessage();
        log.accept(
            "not sent to %s: %s".formatted(packet.destination().getHostAddress(), lastRefusal));
      }
    } catch (RddpException | IllegalStateException e) {
      // The session has ended, and IKE sends again; the next one follows.
      return;
    }
  }

  /** Goes on with another daemon, or null: with none. */
  void use(SecurityAssociations next) {
    daemon = next;
  }

  @Override
  public void onDatagram(InetAddress local, InetAddress remote, byte[] datagram) {
    try {
      tun.write(new IkePacket(remote, local, datagram).write());
    } catch (SystemCallException e) {
      log.accept("the kernel does not take a datagram of IKE: " + e.getMessage());
    }
  }

  /**
   * Makes the kernel want to send a packet to the peer. If the daemon of IKE has a policy that
   * waits for that (trap), the kernel asks it for an association (XFRM_MSG_ACQUIRE). The packet
   * does not leave: it is not IKE's.
   */
  @Override
  public void onNeed(InetSocketAddress local, InetSocketAddress remote) {
    long now = System.nanoTime();
    Long last = acquired.get(remote.getAddress());
    if (last != null && now - last < ACQUIRE_AGAIN_AFTER) {
      return;
    }
    if (acquired.size() == MOST_PEERS) {
      acquired.clear();
    }
    acquired.put(remote.getAddress(), now);
    try (SocketChannel dummy = SocketChannel.open()) {
      dummy.configureBlocking(false);
      dummy.bind(local);
      dummy.connect(remote.getPort() == 0 ? new InetSocketAddress(remote.getAddress(), 1) : remote);
    } catch (IOException e) {
      // The kernel refuses to send it, which it also does while it asks.
      return;
    }
  }
}
