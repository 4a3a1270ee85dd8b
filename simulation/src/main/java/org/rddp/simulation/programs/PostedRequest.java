package org.rddp.simulation.programs;

import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.ReadOctets;

/** A work request of the queue that goes to the peer, from its post to its end. */
final class PostedRequest {
  private final long id;
  private final int opcode;
  private final int octets;
  private final long number;
  private final List<Piece> sources = new ArrayList<>(1);
  private boolean signalled;
  private CompletionStatus refusal;
  private Fault fault;
  private ExpectedPlacement answer;
  private ReadOctets reader;
  private ExpectedPlacement written;
  private ModelStag tag;
  private ModelWindow window;

  /**
   * A request that is about to be posted.
   *
   * @param octets that its completion names when it has ended well
   * @param number rising in the order in which an end posts
   */
  PostedRequest(long id, int opcode, int octets, long number) {
    this.id = id;
    this.opcode = opcode;
    this.octets = octets;
    this.number = number;
  }

  long id() {
    return id;
  }

  int opcode() {
    return opcode;
  }

  int octets() {
    return octets;
  }

  long number() {
    return number;
  }

  /** Places of the outbox that it is sent from. */
  List<Piece> sources() {
    return sources;
  }

  boolean signalled() {
    return signalled;
  }

  void signal(boolean wanted) {
    signalled = wanted;
  }

  /** How it has to end, since it makes no sense; null if it does. */
  CompletionStatus refusal() {
    return refusal;
  }

  void refuse(CompletionStatus status) {
    refusal = status;
  }

  /** What is wrong with it, so that the peer has to end the stream; or null. */
  Fault fault() {
    return fault;
  }

  void wrong(Fault what) {
    fault = what;
  }

  /** Where in its poster's memory an answer goes, or null. */
  ExpectedPlacement answer() {
    return answer;
  }

  void answeredAt(ExpectedPlacement target) {
    answer = target;
  }

  /** What it reads of the peer's memory, or null. */
  ReadOctets reader() {
    return reader;
  }

  void reads(ReadOctets octetsRead) {
    reader = octetsRead;
  }

  /** What it does to the peer's memory, or null. */
  ExpectedPlacement written() {
    return written;
  }

  void writes(ExpectedPlacement target) {
    written = target;
  }

  /** Whether it asks the peer for something that the peer has taken the name of away. */
  boolean bereft() {
    return reader != null ? !reader.named() : written != null && !written.named();
  }

  /** The name that it binds or invalidates, or null. */
  ModelStag tag() {
    return tag;
  }

  /** Of a bind, or null. */
  ModelWindow window() {
    return window;
  }

  void names(ModelStag named, ModelWindow bound) {
    tag = named;
    window = bound;
  }

  @Override
  public String toString() {
    return Opcode.name(opcode) + " " + number;
  }
}
