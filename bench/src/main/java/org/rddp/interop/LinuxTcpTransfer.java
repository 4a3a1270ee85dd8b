package org.rddp.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.device.DpdkPorts;
import org.rddp.dpdk.Eal;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.InOrder;
import org.rddp.tcp.TcpCounters;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * Our side of a transfer to or from a TCP that is not ours: {@code interop/linux-tcp/run} starts
 * it, with a Linux socket at the other end of the link.
 */
public final class LinuxTcpTransfer {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);
  private static final int IDLE_TURNS = 200;
  private static final long IDLE_SLEEP = TimeUnit.MICROSECONDS.toNanos(20);

  private final TcpStack stack;
  private final TransferEnd end;

  private LinuxTcpTransfer(TcpStack stack, TransferEnd end) {
    this.stack = stack;
    this.end = end;
  }

  /**
   * Transfers once and prints how many octets there were, their SHA-256, the seconds it took, and
   * how many segments were retransmitted.
   *
   * @param arguments as the usage below says
   */
  public static void main(String[] arguments) throws ConfigurationException, IOException {
    if (arguments.length != 7) {
      throw new IllegalArgumentException(
          "usage: CONFIGURATION connect|listen PEER PORT send|receive OCTETS SEED");
    }
    Configuration configuration = ConfigurationFile.read(Path.of(arguments[0]));
    TransferEnd end =
        arguments[4].equals("send")
            ? new SendingEnd(Long.parseLong(arguments[5]), Long.parseLong(arguments[6]))
            : new ReceivingEnd();
    try (DpdkPorts ports = DpdkPorts.open(configuration)) {
      Eal.registerThread();
      TcpStack stack =
          new TcpStack(
              ports.devices().getFirst(),
              address(configuration.interfaces().getFirst()),
              TcpSettings.DEFAULTS,
              new SplittableRandom(),
              System.nanoTime());
      stack.reportFailuresTo(Throwable::printStackTrace);
      new LinuxTcpTransfer(stack, end)
          .run(arguments[1], Ipv4Address.parse(arguments[2]), Integer.parseInt(arguments[3]));
      stack.close();
    }
  }

  private static InterfaceAddress address(InterfaceConfiguration configured) {
    return new InterfaceAddress(new Ipv4Address(configured.address()), configured.prefix());
  }

  private void run(String role, Ipv4Address peer, int port) throws IOException {
    if (role.equals("listen")) {
      stack.listen(port, (stream, remoteAddress, remotePort) -> new InOrder(end));
      System.out.println("listening");
    } else {
      stack.connect(peer, port, new InOrder(end));
    }
    long began = System.nanoTime();
    turnUntilClosed();
    double seconds = (System.nanoTime() - began) / 1e9;
    if (end.closed() != CloseReason.NORMAL) {
      throw new IOException("the connection ended with " + end.closed());
    }
    System.out.printf("%d %s %.3f%n", end.octets(), end.sha256(), seconds);
    TcpCounters counters = stack.counters();
    System.out.printf(
        "retransmitted %d, by timeout %d; out of order %d, bad checksums %d, device busy %d%n",
        counters.retransmitted,
        counters.timeouts,
        counters.outOfOrder,
        counters.checksumErrors,
        counters.deviceBusy);
  }

  /** The engine's duty cycle, until the connection is gone. */
  private void turnUntilClosed() throws IOException {
    long octets = -1;
    long deadline = 0;
    int idle = 0;
    while (end.closed() == null) {
      long now = System.nanoTime();
      int done = stack.receive(now) + stack.advance(now) + stack.transmit(now);
      idle = done == 0 ? idle + 1 : 0;
      if (idle > IDLE_TURNS) {
        LockSupport.parkNanos(IDLE_SLEEP);
      }
      if (end.octets() != octets) {
        octets = end.octets();
        deadline = now + PATIENCE;
      } else if (now - deadline > 0) {
        throw new IOException("nothing moved for a minute, after " + octets + " octets");
      }
    }
  }
}
