package org.rddp.interop.linuxtcp;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rddp.device.FrameDevice;
import org.rddp.ip.HostAddress;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpCounters;
import org.rddp.tcp.TcpStack;
import org.rddp.tcp.testing.InOrderHandler;

/** Our side of a transfer to or from Linux: a stack of its own, run until both sides are done. */
final class LinuxTransfer {
  private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(20);
  private static final double MIB = 1 << 20;

  /** The MTU of the link between the routers. */
  private static final int ROUTED_MTU = 1400;

  private static final int IDLE_TURNS = 200;
  private static final long IDLE_SLEEP = TimeUnit.MICROSECONDS.toNanos(20);

  private final TransferCase row;
  private final LinuxPeer peer;
  private final TransferEnd end;
  private final TcpStack stack;
  private final long octets;
  private Throwable failure;
  private boolean listening;
  private String view = "";
  private String result = "";

  /**
   * A transfer that has not started.
   *
   * @param device for the stack, not to be closed
   * @param octets to be transferred
   * @param seed of the octets
   */
  LinuxTransfer(TransferCase row, FrameDevice device, LinuxPeer peer, long octets, long seed) {
    this.row = row;
    this.peer = peer;
    this.octets = octets;
    end = row.weSend() ? new SendingEnd(octets, seed) : new ReceivingEnd();
    stack =
        new TcpStack(
            device, row.link().ours(), row.settings(), new SplittableRandom(), System.nanoTime());
    stack.reportFailuresTo(thrown -> failure = thrown);
  }

  /** Runs the transfer. Returns the first error, or an empty text. */
  String run(int port) {
    HostAddress linux = row.link().linux();
    String direction = row.weSend() ? "receive" : "send";
    String rest = " " + port + " " + direction + " " + octets + " " + port;
    if (row.weOpen()) {
      peer.send("listen " + linux + rest);
    } else {
      stack.listen(port, (stream, remoteAddress, remotePort) -> new InOrderHandler(end));
      peer.send("connect " + row.link().address() + rest);
    }
    boolean moved = turnUntilDone(linux, port);
    stack.close();
    return moved ? verdict() : "nothing moved after " + end.octets() + " octets";
  }

  /** Runs the duty cycle; returns false when nothing has moved for too long. */
  private boolean turnUntilDone(HostAddress linux, int port) {
    boolean opened = !row.weOpen();
    long seen = -1;
    long deadline = 0;
    int idle = 0;
    while (result.isEmpty() || end.closed() == null) {
      long now = System.nanoTime();
      int done = stack.receive(now) + stack.advance(now) + stack.transmit(now);
      idle = done == 0 ? idle + 1 : 0;
      if (idle > IDLE_TURNS) {
        LockSupport.parkNanos(IDLE_SLEEP);
      }
      readAnswer();
      if (listening && !opened && hasRoute()) {
        opened = true;
        stack.connect(linux, port, new InOrderHandler(end));
      }
      if (end.octets() != seen) {
        seen = end.octets();
        deadline = now + TIMEOUT;
      } else if (now - deadline > 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the stack knows a route: a new one waits for the router's advertisement if it needs it.
   */
  private boolean hasRoute() {
    return !row.link().advertised() || stack.ipCounters().routerAdvertisements > 0;
  }

  private void readAnswer() {
    String said = peer.poll();
    if (said == null) {
      return;
    }
    if (said.equals("listening")) {
      listening = true;
    } else if (said.startsWith("view ")) {
      view = said;
    } else {
      result = said;
    }
  }

  private String verdict() {
    TcpCounters counters = stack.counters();
    String expected = "done " + octets + " " + end.sha256() + " ";
    if (failure != null) {
      return "the handler failed: " + failure;
    } else if (end.closed() != CloseReason.NORMAL) {
      return "the connection ended with " + end.closed();
    } else if (end.octets() != octets || !result.startsWith(expected)) {
      return "Linux: " + result + "; rddp: " + expected;
    } else if (counters.checksumErrors + counters.malformed > 0) {
      return counters.checksumErrors + " wrong checksums, " + counters.malformed + " malformed";
    } else if (row.link().advertised() && stack.ipCounters().routerAdvertisements == 0) {
      return "no router has advertised itself";
    } else if (row.link().routed() && row.weSend() && end.emss() > ROUTED_MTU) {
      return "segments had " + end.emss() + " octets at the end: the path MTU was not learnt";
    }
    for (NegotiatedOption option : NegotiatedOption.values()) {
      if (option.in(view) != row.agreed(option)) {
        return "Linux disagrees about "
            + option
            + ": "
            + view.substring(0, Math.min(view.length(), 160));
      }
    }
    return "";
  }

  /** MiB, Gb/s by Linux's clock, and segments that we have retransmitted, in columns. */
  String figures() {
    double seconds = Double.parseDouble(result.substring(result.lastIndexOf(' ') + 1));
    return String.format(
        " %6.0f %6.2f %8d",
        octets / MIB, octets * 8 / Math.max(seconds, 0.001) / 1e9, stack.counters().retransmitted);
  }
}
