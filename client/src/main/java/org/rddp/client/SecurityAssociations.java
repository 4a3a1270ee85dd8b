package org.rddp.client;

import java.net.InetAddress;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.KeyDatagram;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.SecretOctets;

/**
 * Adds and deletes security associations of an interface, for ESP (RFC 4303), and connects it with
 * a daemon of IKE (RFC 7296), which makes them. Only root and the daemon's own user may. {@link
 * Rddp#list} lists them. Thread-safe.
 */
public final class SecurityAssociations {
  private final SessionDaemon daemon;

  SecurityAssociations(SessionDaemon daemon) {
    this.daemon = daemon;
  }

  /**
   * Adds a security association. It ends with the daemon, and its keys cannot be used again.
   *
   * @param replaced SPI of an association to the same destination that is deleted at the same
   *     moment; 0: none
   * @param keys of encryption, salt and integrity, in this order; overwritten when they are sent
   * @throws RefusedException if the daemon cannot use it; the message says why
   */
  public void add(SecurityAssociation association, int replaced, byte[] keys) {
    daemon.throwIfUnusable();
    SecretOctets secret = new SecretOctets(keys);
    try {
      daemon
          .channel()
          .request(
              request -> new ProgramMessage.AddAssociation(request, association, replaced, secret),
              DaemonMessage.Done.class);
    } finally {
      secret.wipe();
    }
  }

  /**
   * Deletes a security association.
   *
   * @param spi its Security Parameters Index, unsigned
   * @param destination address of the host that receives on it
   * @throws RefusedException if there is none
   */
  public void delete(int spi, String destination) {
    daemon.throwIfUnusable();
    daemon
        .channel()
        .request(
            request -> new ProgramMessage.DeleteAssociation(request, spi, destination),
            DaemonMessage.Done.class);
  }

  /**
   * Begins to pass on what the interface has for a daemon of IKE (RFC 7296), until the session
   * ends.
   *
   * @param handler called from now on
   * @throws RefusedException if another session does that already, or the interface has no policy
   */
  public void exchangeKeys(KeyExchangeHandler handler) {
    daemon.throwIfUnusable();
    daemon.link().events().keyExchange(handler);
    daemon.channel().request(ProgramMessage.BeginKeyExchange::new, DaemonMessage.Done.class);
  }

  /**
   * Sends a datagram of IKE from the interface in clear, after {@link #exchangeKeys}.
   *
   * @param local the interface's address that it is from
   * @param remote where it goes
   * @param datagram from the UDP header on, its checksum included; at most 3840 octets, and no more
   *     than a packet of the path takes
   * @throws IllegalArgumentException if it is longer than that
   * @throws RefusedException if it cannot be sent; the message says why
   */
  public void send(InetAddress local, InetAddress remote, byte[] datagram) {
    daemon.throwIfUnusable();
    KeyDatagram sent = new KeyDatagram(datagram);
    daemon
        .channel()
        .request(
            request ->
                new ProgramMessage.SendKeyDatagram(
                    request, InetAddresses.of(local), InetAddresses.of(remote), sent),
            DaemonMessage.Done.class);
  }
}
