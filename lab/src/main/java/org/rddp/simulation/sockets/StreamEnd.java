package org.rddp.simulation.sockets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.SplittableRandom;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.OctetPattern;
import org.rddp.wire.Memory;

/**
 * A program's end of a stream: writes its octets and compares those of its peer, through the rings
 * or a bridge. It waits at its socket when it can do nothing, and then only the daemon wakes it.
 */
final class StreamEnd {
  /** What it does when it has written everything. */
  enum Manner {
    /** It ends what it sends, and closes the socket when its peer has done so, too. */
    ORDERLY,
    /** It closes the socket at once. */
    CLOSES,
    /** It resets the stream. */
    RESETS
  }

  private static final int SCRATCH = 1 << 12;

  /**
   * What an end does.
   *
   * @param octets that it writes
   * @param manner of the end
   * @param bridgeAt octets after which it asks for a bridge; negative: it does not
   * @param largest most octets that it reads or writes at once
   * @param pause longest time that it does nothing, in nanoseconds
   */
  record Plan(long octets, Manner manner, long bridgeAt, int largest, long pause) {}

  private final HostPair hosts;
  private final StreamHost host;
  private final String name;
  private final Plan plan;
  private final OctetPattern out;
  private final OctetPattern in;
  private final SplittableRandom random;
  private final long scratch = Memory.allocate(SCRATCH);
  private SimulatedKeeper.Holding holding;
  private PairedSocket socket;
  private StreamMemory memory;
  private StreamHeader header;

  /** Its end of the bridge; null if there is none. */
  private PairedSocket bridge;

  private boolean awaitsBridge;

  /** Whether it has closed the first socket, since it has a bridge. */
  private boolean moved;

  private boolean scheduled;
  private long written;
  private long read;
  private boolean ended;

  /** Whether the peer has ended, and everything has been read. */
  private boolean peerEnded;

  private boolean over;
  private boolean dead;
  private int error;

  /** Whether it has closed its socket before everything was read. */
  private boolean unread;

  StreamEnd(StreamHost host, String name, Plan plan, OctetPattern out, OctetPattern in) {
    this.host = host;
    this.name = name;
    this.plan = plan;
    this.out = out;
    this.in = in;
    hosts = host.hosts();
    random = hosts.random().split();
  }

  /** Takes a stream, whose memory it maps. */
  void begin(SimulatedKeeper.Holding taken) {
    holding = taken;
    socket = taken.take();
    try {
      memory =
          StreamMemory.map(
              taken.parts().memory().descriptor().duplicate(),
              SimulatedKeeper.largestRing(),
              SimulatedKeeper.largestRing());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    header = memory.header();
    header.addProgramFlags(StreamHeader.MAPPED | StreamHeader.TAKEN);
    host.watch(socket, this);
    ring();
    wake();
  }

  boolean hasBegun() {
    return memory != null;
  }

  private void ring() {
    host.ring(holding.engine(), holding.parts().index());
  }

  /** The daemon has told it something, or time has passed: it acts after a moment. */
  void wake() {
    if (scheduled || over) {
      return;
    }
    scheduled = true;
    long at = hosts.network().now() + random.nextLong(plan.pause());
    hosts.network().events().schedule(at, any -> act(), 0);
  }

  private void act() {
    scheduled = false;
    if (over) {
      return;
    }
    while (!moved && socket.receive(scratch, SCRATCH) > 0) {
      // Each octet says only that there may be something.
    }
    boolean again = bridge == null ? useRings() : useBridge();
    if (!over && again) {
      wake();
    }
  }

  // ---- Through the rings ----

  /** Returns whether there may be more to do at once. */
  private boolean useRings() {
    if (awaitsBridge) {
      return false;
    }
    int state = header.state();
    boolean any = readSome();
    if (state == StreamHeader.CONNECTING) {
      return isArmed();
    }
    if (state != StreamHeader.ESTABLISHED && header.consumed() == header.received()) {
      finish();
      return false;
    }
    if (state == StreamHeader.ESTABLISHED) {
      any |= writeSome();
      endIfWritten();
    }
    if (over) {
      return false;
    }
    if (plan.bridgeAt() >= 0 && written + read >= plan.bridgeAt() && !awaitsBridge) {
      awaitsBridge = true;
      host.keeper().bridge(holding, this::onBridge);
      return false;
    }
    return any || isArmed();
  }

  /** Asks to be woken; returns whether there is something already. */
  private boolean isArmed() {
    int state = header.state();
    boolean full = written < plan.octets() && state == StreamHeader.ESTABLISHED;
    if (!full || !peerEnded) {
      // After the peer's end each ring would be answered, and make it ring again.
      header.armReceiving();
    }
    if (full) {
      while (socket.send(scratch, 1) > 0) {
        // The socket is to become unwritable.
      }
      header.armSending();
      ring();
    }
    boolean news = header.received() != header.consumed() || header.state() != state;
    return news || (full && room() > 0);
  }

  private int room() {
    return memory.sending().octets() - (int) (written - header.taken());
  }

  private boolean writeSome() {
    if (header.written() == header.taken()) {
      int allowed = header.sendAllowed();
      if (allowed != memory.sending().octets() && memory.sending().use(allowed)) {
        header.sendRing(allowed);
      }
    }
    long left = Math.min(Math.min(plan.octets() - written, room()), plan.largest());
    if (left <= 0) {
      return false;
    }
    int octets = 1 + random.nextInt((int) left);
    int first = Math.min(octets, memory.sending().inRow(written));
    out.write(written, memory.sending().address(written), first);
    out.write(written + first, memory.sending().address(written + first), octets - first);
    if (!header.write(written, written + octets)) {
      fail("cannot publish what it has written");
    }
    written += octets;
    ring();
    return true;
  }

  private boolean readSome() {
    long at = header.consumed();
    long available = Math.min(header.received() - at, plan.largest());
    if (available <= 0) {
      if (available == 0 && (header.daemonFlags() & StreamHeader.PEER_ENDED) != 0) {
        peerEnded |= header.received() == at;
      }
      return false;
    }
    memory.receiving().use(header.receiveRing());
    int octets = 1 + random.nextInt((int) available);
    int first = Math.min(octets, memory.receiving().inRow(at));
    compare(at, memory.receiving().address(at), first);
    compare(at + first, memory.receiving().address(at + first), octets - first);
    if (at != read || !header.consume(at, at + octets)) {
      fail("reads at another position than " + read);
    }
    read += octets;
    int quarter = memory.receiving().octets() / 4;
    if (at / quarter != read / quarter) {
      ring();
    }
    return true;
  }

  private void compare(long position, long address, int octets) {
    long wrong = octets == 0 ? -1 : in.mismatch(position, address, octets);
    if (wrong >= 0) {
      fail("gets a wrong octet at " + wrong);
    }
  }

  private void endIfWritten() {
    if (written < plan.octets()) {
      return;
    }
    switch (plan.manner()) {
      case ORDERLY -> {
        if (!ended) {
          ended = true;
          header.addProgramFlags(StreamHeader.END_SENDING);
          ring();
        }
      }
      case RESETS -> {
        header.addProgramFlags(StreamHeader.ABORT_AT_CLOSE);
        close();
      }
      case CLOSES -> close();
    }
  }

  /** The stream has ended, or failed. */
  private void finish() {
    error = header.error();
    peerEnded |= (header.daemonFlags() & StreamHeader.PEER_ENDED) != 0;
    close();
  }

  // ---- Through a bridge ----

  private void onBridge(PairedSocket end) {
    awaitsBridge = false;
    if (over && end != null) {
      end.close();
    }
    if (over) {
      return;
    }
    bridge = end;
    if (bridge != null) {
      host.watch(bridge, this);
      moved = random.nextBoolean();
      if (moved) {
        socket.close();
      }
    }
    // Without a bridge the stream has ended, which the header tells.
    wake();
  }

  private boolean useBridge() {
    boolean any = false;
    int most = Math.min(SCRATCH, plan.largest());
    if (!peerEnded) {
      long octets = bridge.receive(scratch, most);
      if (octets > 0) {
        compare(read, scratch, (int) octets);
        read += octets;
        any = true;
      } else if (octets == 0) {
        peerEnded = (header.daemonFlags() & StreamHeader.PEER_ENDED) != 0;
        if (!peerEnded) {
          error = header.error();
          close();
          return false;
        }
      }
    }
    long left = Math.min(plan.octets() - written, most);
    if (left > 0) {
      int octets = 1 + random.nextInt((int) left);
      out.write(written, scratch, octets);
      long sent = bridge.send(scratch, octets);
      written += Math.max(sent, 0);
      any |= sent > 0;
    } else if (plan.manner() != Manner.ORDERLY) {
      close();
    } else if (!ended) {
      ended = true;
      bridge.closeSending();
    }
    if (!over && header.state() == StreamHeader.ENDED && header.error() != 0) {
      error = header.error();
      close();
    } else if (!over && ended && peerEnded) {
      close();
    }
    return any;
  }

  // ---- The end ----

  /** Closes its sockets: nobody holds the stream any more. */
  void close() {
    over = true;
    unread = !peerEnded;
    socket.close();
    if (bridge != null) {
      bridge.close();
    }
    memory.close();
    host.host().scheduleTurn();
  }

  /** Power has failed at its host. */
  void die() {
    dead = true;
    if (hasBegun() && !over) {
      memory.close();
      if (bridge != null) {
        bridge.close();
      }
    }
    over = true;
  }

  /** It has never got a stream. */
  void giveUp() {
    over = true;
  }

  private void fail(String what) {
    hosts.violations().add(name + " " + what);
  }

  boolean isOver() {
    return over;
  }

  int error() {
    return error;
  }

  long written() {
    return written;
  }

  long read() {
    return read;
  }

  boolean hasBridge() {
    return bridge != null;
  }

  /** Whether its peer may get less than everything, and an error, since it behaves like that. */
  boolean disturbsPeer() {
    return dead || plan.manner() == Manner.RESETS || (plan.manner() == Manner.CLOSES && unread);
  }

  /** Whether its peer may not be told of its end: a reset that is lost is not sent again. */
  boolean isLost() {
    return dead || error != 0 || (over && disturbsPeer());
  }

  @Override
  public String toString() {
    return "%s wrote %d of %d and read %d, %s, errno %d"
        .formatted(name, written, plan.octets(), read, peerEnded ? "ended" : "not ended", error);
  }

  /** Whether it has got everything that its peer has written, and the end. */
  boolean isComplete(StreamEnd peer) {
    return peerEnded && read == peer.plan.octets() && peer.written == peer.plan.octets();
  }

  /** Checks that it has everything that was written before the peer's end. */
  void judge(StreamEnd peer) {
    if (peerEnded && read != peer.written) {
      fail("has got " + read + " of " + peer.written + " octets, and the end");
    }
  }
}
