package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.List;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.ReadOctets;

/** A send, a write, a read or an atomic from its post to its completion. */
final class SimulatedRdmapRequest {
  private final long id;
  private final int kind;
  private final long length;
  private final long number;

  /** Places of the outbox that it is sent from. */
  private final List<Piece> sources = new ArrayList<>(1);

  /** Where in its poster's memory an answer goes. */
  private final List<ExpectedPlacement> answers = new ArrayList<>(1);

  private ExpectedPlacement written;
  private ReadOctets reader;
  private Fault fault;
  private boolean refusedHere;
  private boolean endedAtOnce;

  /**
   * A request that is about to be posted.
   *
   * @param kind of completion
   * @param length octets that its completion is to name
   * @param number rising in the order in which requests are posted
   */
  SimulatedRdmapRequest(long id, int kind, long length, long number) {
    this.id = id;
    this.kind = kind;
    this.length = length;
    this.number = number;
  }

  long id() {
    return id;
  }

  int kind() {
    return kind;
  }

  long length() {
    return length;
  }

  long number() {
    return number;
  }

  List<Piece> sources() {
    return sources;
  }

  List<ExpectedPlacement> answers() {
    return answers;
  }

  /** What it does to the peer's memory, or null. */
  ExpectedPlacement written() {
    return written;
  }

  void writes(ExpectedPlacement target) {
    written = target;
  }

  /** What it reads of the peer's memory, or null. */
  ReadOctets reader() {
    return reader;
  }

  void reads(ReadOctets octets) {
    reader = octets;
  }

  /** What is wrong with it, so that the peer has to end the stream; or null. */
  Fault fault() {
    return fault;
  }

  void wrong(Fault what) {
    fault = what;
  }

  /** Whether it names memory of its own that it may not read into. */
  boolean refusedHere() {
    return refusedHere;
  }

  void refuseHere() {
    refusedHere = true;
  }

  /** Whether it had ended when its post returned. */
  boolean endedAtOnce() {
    return endedAtOnce;
  }

  void endAtOnce() {
    endedAtOnce = true;
  }
}
