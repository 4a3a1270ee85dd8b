package org.rddp.simulation.programs;

import org.rddp.client.types.Reason;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedConnection;
import org.rddp.simulation.UndetectedCorruption;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/** One connection of two programs: the end that opens it and the one that answers. */
final class SimulatedProgramConnection implements SimulatedConnection {
  private static final int FIRST_PORT = 7;
  private static final int MOST_PRIVATE = 64;

  /** After which an end that is not ready is looked at again, in ns. */
  private static final long SOON = 1_000_000;

  /** After which a server that is not ready is taken for one that never will be, in ns. */
  private static final long LATE = 2_000_000_000;

  private final HostPair world;
  private final int number;
  private final int queues;
  private final boolean rejects;
  private final boolean withoutRtr;
  private final boolean huge;
  private final byte[] privateData;
  private final UndetectedCorruption noise;
  private final ProgramEndpoint client;
  private final ProgramEndpoint server;
  private boolean opened;
  private long latest;
  private long patienceEnds = Long.MAX_VALUE;

  /** A connection to be opened. */
  SimulatedProgramConnection(
      HostPair world,
      int number,
      boolean plain,
      RdmapTerms terms,
      UndetectedCorruption noise,
      SimulatedProgram one,
      SimulatedProgram other,
      Workload there,
      Workload back,
      Slab slab,
      SourceOctets octets) {
    this.world = world;
    this.number = number;
    this.noise = noise;
    withoutRtr = terms.withoutRtr() && !plain;
    huge = world.settings().oneIn(100);
    boolean bare = terms.initiator().mpa().startKey();
    queues = 1 + world.random().nextInt(4);
    rejects = !bare && world.settings().oneIn(40);
    privateData = new byte[bare ? 0 : world.random().nextInt(MOST_PRIVATE)];
    world.random().nextBytes(privateData);
    client =
        plain
            ? new DdpEndpoint(one, this, true, there, slab, octets)
            : new RdmapEndpoint(one, this, true, there, slab, octets);
    server =
        plain
            ? new DdpEndpoint(other, this, false, back, slab, octets)
            : new RdmapEndpoint(other, this, false, back, slab, octets);
    client.peer(server);
    server.peer(client);
  }

  /** Its programs ask for what they need. */
  void begin() {
    client.begin(0);
    server.begin(port());
  }

  /** The client connects as soon as it can. */
  void open() {
    latest = latest == 0 ? world.network().now() + LATE : latest;
    boolean late = world.network().now() > latest;
    if (client.program().over()) {
      opened = true;
      server.giveUp();
    } else if (client.ready() && (server.ready() || late)) {
      opened = true;
      client.connect(port());
    } else {
      world.network().events().schedule(world.network().now() + SOON, any -> open(), 0);
    }
  }

  boolean opened() {
    return opened;
  }

  int number() {
    return number;
  }

  /** Plain DDP: how many queues. */
  int queues() {
    return queues;
  }

  /** Whether messages may have a MiB and more. */
  boolean huge() {
    return huge;
  }

  /** Whether the server's program declines. */
  boolean rejects() {
    return rejects;
  }

  byte[] privateData() {
    return privateData.clone();
  }

  ProgramEndpoint client() {
    return client;
  }

  ProgramEndpoint server() {
    return server;
  }

  /** Whether bits may be turned unseen: both ends are up, or will never be. */
  boolean isSettled() {
    return opened && settled(client) && settled(server);
  }

  private static boolean settled(ProgramEndpoint end) {
    return end.established() || end.isGone();
  }

  /** Whether the two have no kind of RTR in common, though one is wanted. */
  boolean withoutRtr() {
    return withoutRtr;
  }

  /** Whether bits may have been turned. */
  boolean corrupted() {
    return noise.begun();
  }

  /** Whether something befell it that may have ended it. */
  boolean disturbed() {
    return client.disturbed() || server.disturbed() || rejects || withoutRtr || lost();
  }

  /** Whether it was lost, and not ended by either program. */
  boolean lost() {
    return lost(client) || lost(server);
  }

  private boolean lost(ProgramEndpoint end) {
    Reason reason = end.reason();
    return reason == null
        || reason == Reason.TIMEOUT
        || reason == Reason.RESET
        || reason == Reason.REFUSED
        || (reason == Reason.MPA_ERROR && noise.begun());
  }

  @Override
  public int port() {
    return FIRST_PORT + number;
  }

  @Override
  public boolean done() {
    return opened && client.isGone() && server.isGone();
  }

  @Override
  public void supervise(long now, long patience) {
    boolean alone = client.isGone() != server.isGone();
    if (!alone) {
      patienceEnds = Long.MAX_VALUE;
    } else if (patienceEnds == Long.MAX_VALUE) {
      patienceEnds = now + patience;
    } else if (now >= patienceEnds) {
      (client.isGone() ? server : client).giveUp();
    }
  }

  @Override
  public long progress() {
    return (opened ? 1L : 0L) + (done() ? 1L : 0L);
  }
}
