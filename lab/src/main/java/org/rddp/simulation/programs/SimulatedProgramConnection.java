package org.rddp.simulation.programs;

import java.util.Arrays;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedConnection;
import org.rddp.simulation.UndetectedCorruption;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/** One connection of two programs: the end that opens it and the end that accepts it. */
final class SimulatedProgramConnection implements SimulatedConnection {
  private static final int FIRST_PORT = 7;
  private static final int MOST_PRIVATE = 64;

  /** Time after which an end that is not ready is checked again, in ns. */
  private static final long SOON = 1_000_000;

  /** Time after which a server that is not ready is considered gone, in ns. */
  private static final long LATE = 2_000_000_000;

  private final HostPair hosts;
  private final int number;
  private final int queues;
  private final boolean rejects;
  private final ConnectionStartup startup;
  private final boolean huge;
  private final byte[] privateData;
  private final UndetectedCorruption noise;
  private final ProgramEndpoint client;
  private final ProgramEndpoint server;
  private boolean opened;
  private long latest;

  /** A connection to be opened. */
  SimulatedProgramConnection(
      HostPair hosts,
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
    this.hosts = hosts;
    this.number = number;
    this.noise = noise;
    startup = ConnectionStartup.draw(hosts.random(), terms, plain);
    huge = hosts.settings().oneIn(200);
    boolean bare = terms.initiator().mpa().startKey();
    queues = 1 + hosts.random().nextInt(4);
    rejects = !bare && hosts.settings().oneIn(40);
    privateData = new byte[bare ? 0 : hosts.random().nextInt(MOST_PRIVATE)];
    hosts.random().nextBytes(privateData);
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

  /** The programs register memory and listen. */
  void begin() {
    client.begin(0);
    server.begin(port());
  }

  /** The client connects as soon as both ends are ready. */
  void open() {
    latest = latest == 0 ? hosts.network().now() + LATE : latest;
    boolean late = hosts.network().now() > latest;
    if (client.program().over()) {
      opened = true;
      server.giveUp();
    } else if (client.ready() && (server.ready() || late)) {
      opened = true;
      client.connect(port());
    } else {
      hosts.network().events().schedule(hosts.network().now() + SOON, any -> open(), 0);
    }
  }

  int number() {
    return number;
  }

  /** Plain DDP: number of queues. */
  int queues() {
    return queues;
  }

  /** Whether messages may have a MiB and more. */
  boolean huge() {
    return huge;
  }

  /** Whether the server's program rejects. */
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

  /** Whether both ends are established or will never be. */
  boolean isSettled() {
    return opened && settled(client) && settled(server);
  }

  private static boolean settled(ProgramEndpoint end) {
    return end.state().established || end.state().isGone();
  }

  /** What the programs have chosen of its startup. */
  ConnectionStartup startup() {
    return startup;
  }

  /** The server was told of the request. */
  void requested(DaemonMessage.ConnectionRequested requested) {
    byte[] data = requested.privateData().toByteArray();
    server.verify(Arrays.equals(data, privateData), "other private data than was sent");
    told(server, requested.startup());
  }

  /** An end was told what the startup frames have settled. */
  void told(ProgramEndpoint end, StartupTerms terms) {
    StartupTerms expected = startup.expected(end.initiator());
    boolean right = terms.equals(expected);
    if (terms.peerIrd() >= 0) {
      end.count(ProgramEvent.NEGOTIATED);
    }
    if (terms.peerToPeer()) {
      end.count(ProgramEvent.PEER_TO_PEER);
    }
    end.verify(right || corrupted(), "was told " + terms + ", not " + expected);
  }

  /** The client was told that its request was rejected. */
  void toldOfRejection(StartupTerms terms) {
    if (startup.lacksRequiredRtr()) {
      client.count(ProgramEvent.WITHOUT_RTR);
    }
    boolean asked = rejects || startup.lacksRequiredRtr() || server.state().isGone();
    client.verify(asked, "rejected by no program");
    boolean right =
        terms.peerIrd() == startup.expected(true).peerIrd()
            && terms.peerOrd() == startup.expectedOrdOfRejection();
    client.verify(right || corrupted(), "was told " + terms + " with the rejection");
  }

  /** Whether bits may have been flipped. */
  boolean corrupted() {
    return noise.begun();
  }

  /** Whether something happened that may have ended it. */
  boolean disturbed() {
    return client.state().disturbed
        || server.state().disturbed
        || rejects
        || refusedForRtr()
        || lost();
  }

  private boolean refusedForRtr() {
    return startup.withoutRtr() || startup.lacksRequiredRtr();
  }

  /** Whether it was lost, not ended by a program. */
  boolean lost() {
    return lost(client) || lost(server);
  }

  private boolean lost(ProgramEndpoint end) {
    Reason reason = end.state().reason;
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
    return opened && client.state().isGone() && server.state().isGone();
  }

  @Override
  public boolean isAlone() {
    return client.state().isGone() != server.state().isGone();
  }

  @Override
  public void abort() {
    (client.state().isGone() ? server : client).giveUp();
  }

  @Override
  public long progress() {
    return (opened ? 1L : 0L) + (done() ? 1L : 0L);
  }
}
