package org.rddp.simulation.mpa;

import org.rddp.mpa.MpaError;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.OctetPattern;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.SimulatedConnection;
import org.rddp.simulation.SimulatedHost;
import org.rddp.tcp.TcpConnection;

/** One connection with the program that opens it and the one that accepts it. */
final class SimulatedMpaConnection implements SimulatedConnection {
  private final HostPair hosts;
  private final MpaTerms terms;
  private final HalfConnection up;
  private final HalfConnection down;
  private final MpaProgram client;
  private final MpaProgram server;
  private int port;

  /**
   * A connection to be opened.
   *
   * @param there how many ULPDUs the client sends
   * @param back how many the server sends
   * @param buffer address of memory for a ULPDU
   */
  SimulatedMpaConnection(HostPair hosts, int there, int back, long buffer) {
    this.hosts = hosts;
    terms = MpaTerms.draw(hosts.random(), hosts.settings());
    up = half();
    down = half();
    up.reverse(down);
    down.reverse(up);
    client = program(hosts.client(), terms.clientInitiates(), there, up, down, buffer);
    server = program(hosts.server(), !terms.clientInitiates(), back, down, up, buffer);
    client.peer(server);
    server.peer(client);
  }

  private HalfConnection half() {
    return new HalfConnection(hosts.violations(), new OctetPattern(hosts.random().nextLong()));
  }

  private MpaProgram program(
      SimulatedHost host,
      boolean initiator,
      int ulpdus,
      HalfConnection out,
      HalfConnection in,
      long buffer) {
    UlpduTraffic sending = UlpduTraffic.draw(hosts.random(), hosts.settings(), ulpdus);
    return new MpaProgram(hosts, host, terms, initiator, sending, out, in, buffer);
  }

  /** Connects to a port of the server. */
  void open(int listening) {
    SimulatedHost from = hosts.client();
    TcpConnection connection =
        from.stack().connect(hosts.server().connectAddress(), listening, client.handler());
    client.uses(connection);
    port = connection.localPort();
    from.scheduleTurn();
  }

  @Override
  public int port() {
    return port;
  }

  MpaProgram client() {
    return client;
  }

  MpaProgram server() {
    return server;
  }

  @Override
  public boolean done() {
    return client.done() && server.done();
  }

  @Override
  public boolean isAlone() {
    return client.done() != server.done() || client.unheard();
  }

  @Override
  public void abort() {
    if (client.unheard()) {
      client.abort();
    } else if (client.lost() || server.lost()) {
      (client.done() ? server : client).abort();
    }
  }

  /** Checks what must hold when both ends have ended. */
  void judge() {
    client.judge();
    server.judge();
  }

  @Override
  public long progress() {
    return client.progress() + server.progress();
  }

  /** Adds the counts of this run. */
  void addTo(RunTotals totals) {
    totals.add("ULPDUs sent", up.ledger().count() + down.ledger().count());
    totals.add("ULPDUs passed", up.passed() + down.passed());
    totals.add("passed before their turn", up.early() + down.early());
    totals.add("passed in several pieces", up.inPieces() + down.inPieces());
    boolean agreed = client.operating() && server.operating();
    boolean startKey = terms.initiator().startKey();
    totals.add("startups of revision 1", agreed && terms.revision() == 1 ? 1 : 0);
    totals.add("startups of revision 2", agreed && terms.revision() == 2 ? 1 : 0);
    totals.add("startups by Start Key", agreed && startKey ? 1 : 0);
    totals.add("startups declined", client.rejected() && server.rejected() ? 1 : 0);
    totals.add("startups too late", terms.hasty() ? errors(MpaError.STARTUP) : 0);
    int markers = terms.initiator().markers() ? 1 : 0;
    markers += terms.responder().markers() ? 1 : 0;
    totals.add("half connections with Markers", agreed ? markers : 0);
    int packing = terms.initiator().packing() ? 1 : 0;
    packing += terms.responder().packing() ? 1 : 0;
    totals.add("half connections with packing", agreed ? packing : 0);
    totals.add("connections without CRCs", agreed && !terms.crc() ? 1 : 0);
    totals.add("wrong octets come to MPA", up.octets().wrong() + down.octets().wrong());
    int wrong = up.wrongFpdus() + down.wrongFpdus();
    totals.add("FPDUs with wrong octets, with CRCs", terms.crc() ? wrong : 0);
    totals.add("FPDUs with wrong octets, without CRCs", terms.crc() ? 0 : wrong);
    totals.add(
        "wrong or doubtful ULPDUs passed, without CRCs", up.wrongPassed() + down.wrongPassed());
    totals.add("errors 1", errors(MpaError.CONNECTION_LOST));
    totals.add("errors 2", errors(MpaError.CRC));
    totals.add("errors 3", errors(MpaError.MARKER));
    totals.add("errors 4", errors(MpaError.STARTUP));
    totals.add(
        "passed to the peer after errors 2 and 3",
        client.passedAfterError() + server.passedAfterError());
    totals.add("aborted", (client.aborted() ? 1 : 0) + (server.aborted() ? 1 : 0));
  }

  private int errors(MpaError error) {
    return (client.error() == error ? 1 : 0) + (server.error() == error ? 1 : 0);
  }

  /** ULPDUs passed, both ways. */
  int passed() {
    return up.passed() + down.passed();
  }

  /** A connection, perhaps an end of this one, goes on as another one. */
  void goesOn(TcpConnection former, TcpConnection next) {
    client.goesOn(former, next);
    server.goesOn(former, next);
  }
}
