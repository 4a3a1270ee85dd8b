package org.rddp.simulation.programs;

import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.simulation.memory.ExpectedPlacement;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;
import org.rddp.simulation.memory.ReadOctets;

/** A work request from its post to its completion. */
final class PostedRequest {
  private final long id;
  private final int opcode;
  private final int octets;
  private final long number;
  private final List<Piece> sources = new ArrayList<>(1);
  private boolean signalled;
  private int turn;
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
   * @param octets that its completion reports on success
   * @param number ascending in the order of the posts
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

  /** Pieces of the outbox that it is sent from. */
  List<Piece> sources() {
    return sources;
  }

  boolean signalled() {
    return signalled;
  }

  void signal(boolean wanted) {
    signalled = wanted;
  }

  /** The turn of its host in which it was posted. */
  int turn() {
    return turn;
  }

  void posted(int inTurn) {
    turn = inTurn;
  }

  /** The status with which the daemon must refuse it, or null. */
  CompletionStatus refusal() {
    return refusal;
  }

  void refuse(CompletionStatus status) {
    refusal = status;
  }

  /** The fault in it, for which the peer must end the stream; or null. */
  Fault fault() {
    return fault;
  }

  void wrong(Fault what) {
    fault = what;
  }

  /** The range for its answer, or null. */
  ExpectedPlacement answer() {
    return answer;
  }

  void answeredAt(ExpectedPlacement target) {
    answer = target;
  }

  /** The octets that it reads, or null. */
  ReadOctets reader() {
    return reader;
  }

  void reads(ReadOctets octetsRead) {
    reader = octetsRead;
  }

  /** The range of the peer's memory that it writes, or null. */
  ExpectedPlacement written() {
    return written;
  }

  void writes(ExpectedPlacement target) {
    written = target;
  }

  /** Whether the peer has revoked the STag that it uses. */
  boolean bereft() {
    return reader != null ? !reader.named() : written != null && !written.named();
  }

  /** The local STag that it binds, invalidates or names, or null. */
  ModelStag tag() {
    return tag;
  }

  /** The window of a bind, or null. */
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
