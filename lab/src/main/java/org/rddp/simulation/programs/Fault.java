package org.rddp.simulation.programs;

import org.rddp.ddp.segment.DdpError;
import org.rddp.rdmap.RdmapError;

/** A wrong request, and the error with which the peer must end the stream. */
@SuppressWarnings(
    "ImmutableEnumChecker") // Error Prone does not know that a record of numbers is immutable.
enum Fault {
  WRITE_UNKNOWN(Kind.WRITE, "a write by no STag", DdpError.INVALID_STAG),
  WRITE_REVOKED(Kind.WRITE, "a write by a revoked STag", DdpError.INVALID_STAG),
  WRITE_RIGHTS(Kind.WRITE, "a write without the right", DdpError.INVALID_STAG),
  WRITE_BOUNDS(Kind.WRITE, "a write out of bounds", DdpError.BASE_OR_BOUNDS),
  WRITE_FOREIGN(Kind.WRITE, "a write by a foreign STag", DdpError.STAG_NOT_ASSOCIATED),
  WRITE_WRAP(Kind.WRITE, "a write whose TO wraps", DdpError.TO_WRAP),
  READ_UNKNOWN(Kind.READ, "a read by no STag", RdmapError.INVALID_STAG),
  READ_REVOKED(Kind.READ, "a read by a revoked STag", RdmapError.INVALID_STAG),
  READ_RIGHTS(Kind.READ, "a read without the right", RdmapError.ACCESS_RIGHTS),
  READ_BOUNDS(Kind.READ, "a read out of bounds", RdmapError.BASE_OR_BOUNDS),
  READ_FOREIGN(Kind.READ, "a read by a foreign STag", RdmapError.STAG_NOT_ASSOCIATED),
  READ_WRAP(Kind.READ, "a read whose TO wraps", RdmapError.TO_WRAP),
  ATOMIC_UNKNOWN(Kind.ATOMIC, "an atomic by no STag", RdmapError.INVALID_STAG),
  ATOMIC_REVOKED(Kind.ATOMIC, "an atomic by a revoked STag", RdmapError.INVALID_STAG),
  ATOMIC_RIGHTS(Kind.ATOMIC, "an atomic without the right", RdmapError.ACCESS_RIGHTS),
  ATOMIC_BOUNDS(Kind.ATOMIC, "an atomic out of bounds", RdmapError.BASE_OR_BOUNDS),
  ATOMIC_FOREIGN(Kind.ATOMIC, "an atomic by a foreign STag", RdmapError.STAG_NOT_ASSOCIATED),
  ATOMIC_WRAP(Kind.ATOMIC, "an atomic whose TO wraps", RdmapError.TO_WRAP),
  ATOMIC_UNALIGNED(Kind.ATOMIC, "an atomic that is not aligned", RdmapError.STREAM_CATASTROPHIC),
  SEND_NO_RECEIVE(Kind.SEND, "a send without a receive", DdpError.NO_BUFFER),
  SEND_TOO_LONG(
      Kind.SEND,
      "a send longer than its receive",
      // A segment that begins at the buffer's very end is the one, one that crosses it the other.
      ErrorNumber.of(DdpError.MESSAGE_TOO_LONG),
      ErrorNumber.of(DdpError.INVALID_MO)),
  SEND_INVALIDATES(Kind.SEND, "a send that may not invalidate", RdmapError.CANNOT_INVALIDATE);

  /** The kind of request. */
  enum Kind {
    WRITE,
    READ,
    ATOMIC,
    SEND
  }

  private final Kind kind;
  private final String words;
  private final ErrorNumber error;
  private final ErrorNumber orElse;

  Fault(Kind kind, String words, ErrorNumber error, ErrorNumber orElse) {
    this.kind = kind;
    this.words = words;
    this.error = error;
    this.orElse = orElse;
  }

  Fault(Kind kind, String words, DdpError error) {
    this(kind, words, ErrorNumber.of(error), ErrorNumber.of(error));
  }

  Fault(Kind kind, String words, RdmapError error) {
    this(kind, words, ErrorNumber.of(error), ErrorNumber.of(error));
  }

  Kind kind() {
    return kind;
  }

  String words() {
    return words;
  }

  /** The error that it ends with, or the first of two. */
  ErrorNumber error() {
    return error;
  }

  /** Whether it may end with this one. */
  boolean mayEndWith(ErrorNumber found) {
    return error.equals(found) || orElse.equals(found);
  }
}
