package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;
import org.rddp.wire.AccEcnOption;

/**
 * The sender's part in accurate ECN (RFC 9768): counts, by a receiver's feedback, how many of the
 * packets that we have sent were marked, and how many octets were in them.
 */
public final class AccEcnSender {
  /** ACE counts up to this (DIVACE). */
  private static final int CYCLE = 8;

  private static final int LARGEST_OCTETS = 0xffffff;

  /** SAFETY_FACTOR of section A.2.2. */
  private static final int SAFETY = 2;

  /** So many marks take ACE from its first value to 0. */
  private static final int MARKS_TO_ZERO = 3;

  /** s.cep: packets with CE. */
  private int packets = 5;

  /** s.ceb: octets with CE. */
  private int octets;

  /** Marked octets that congestion control has not been told of. */
  private long marked;

  /** The part of {@link #marked} that is known by ACE alone since the last option. */
  private long estimated;

  /** Whether options are ignored, because something zeroes them. */
  private boolean ignoresOptions;

  /** Whether all feedback is ignored, because the peer, or the path, gives none. */
  private boolean ignores;

  private boolean mangled;

  /** Whether ACE has not been seen yet. */
  private boolean first = true;

  /** Creates the state of a connection that has begun to use accurate ECN. */
  public AccEcnSender() {}

  /**
   * Takes the option of the peer's first segment, if there is one. If something on the path has
   * zeroed it, all are ignored (section 3.2.3.2.4). Where none come, or not with each
   * acknowledgment, ACE alone is interpreted as is safe (section 3.2.3.2.3).
   */
  public void begin(AccEcnOption option) {
    ignoresOptions = option.zeroed(); // ACC-3.2.3.2.4-01
  }

  /** Counts our SYN-ACK as marked (table 4). */
  public void synAckMarked() {
    packets++;
  }

  /** Ignores all feedback from now on: the peer gives none (section 3.2.2.1, note 1). */
  public void ignore() {
    ignores = true;
  }

  /** Whether feedback contradicts itself, so that nothing more may be sent that can be marked. */
  public boolean mangled() {
    return mangled;
  }

  /**
   * Takes feedback while nothing is in flight, which can only be about packets without data. It may
   * have been overtaken, so that only an advance counts.
   */
  public void idle(int ace) {
    int advance = (ace - packets) & (CYCLE - 1);
    if (advance < CYCLE / 2) {
      packets += advance;
    }
  }

  /**
   * Processes an acknowledgment if it says nothing of congestion.
   *
   * @param most packets that it may acknowledge
   * @return false if {@link #acknowledged} must process it
   */
  public boolean isQuiet(int ace, AccEcnOption option, long most) {
    boolean quiet = ((ace - packets) & (CYCLE - 1)) == 0 && most < CYCLE && news(option) <= 0;
    if (quiet) {
      first = false;
    }
    return quiet;
  }

  /** Octets with CE that an option adds; -1 if it does not say. */
  private int news(AccEcnOption option) {
    return option.ce() < 0 ? -1 : (option.ce() - octets) & LARGEST_OCTETS;
  }

  /**
   * Processes an acknowledgment that no other has overtaken (section 3.2.2.2).
   *
   * @param ace its counter of packets
   * @param option its counters of octets
   * @param newly packets that it may newly acknowledge, at least
   * @param delivered octets that it newly acknowledges
   * @param emss octets of a full segment
   * @return whether packets were marked
   */
  public boolean acknowledged(int ace, AccEcnOption option, int newly, long delivered, int emss) {
    boolean zeroed = first && ace == 0 && newly < MARKS_TO_ZERO;
    first = false;
    if (zeroed) {
      // ACC-3.2.2.4-01
      ignores = true;
      mangled = true;
    }
    if (ignores) {
      return false;
    }
    int least = (ace - packets) & (CYCLE - 1); // ACC-3.2.2.2-01
    int bytes = optionTaken(option);
    int more = bytes < 0 ? safe(least, newly) : checked(least, newly, bytes, emss);
    packets += more;
    if (bytes < 0) {
      long share = delivered * Math.min(more, newly) / Math.max(newly, 1);
      estimated += share;
      marked += share;
      return more > 0;
    }
    // ACC-3.2.3.2.5-01: octets were marked, but no packet, and ACE cannot have gone around.
    mangled |= bytes > 0 && bytes <= delivered && more == 0 && newly < CYCLE && estimated == 0;
    long known = Math.max(bytes - estimated, 0);
    estimated = 0;
    marked += known;
    return more > 0 || known > 0;
  }

  /** Counts the octets of an option; returns them, or -1 if nothing can be learnt from it. */
  private int optionTaken(AccEcnOption option) {
    if (ignoresOptions) {
      return -1;
    }
    int bytes = news(option);
    octets += Math.max(bytes, 0);
    // A counter that is left out has not changed (section 3.2.3).
    return bytes < 0 && option.present() ? 0 : bytes;
  }

  /**
   * The most packets that ACE may stand for, if all of those acknowledged were marked before some
   * acknowledgments were lost (section A.2.1).
   */
  private static int safe(int least, int newly) {
    // ACC-3.2.2.5.2-01, ACC-3.2.3.2.3-01
    return least >= newly ? least : newly - ((newly - least) & (CYCLE - 1));
  }

  /** The most packets that ACE may stand for if the octets with CE are known (section A.2.2). */
  private static int checked(int least, int newly, int bytes, int emss) {
    int safe = safe(least, newly);
    boolean fits = bytes <= (long) emss * least && (long) bytes * SAFETY < (long) emss * safe;
    return fits ? least : safe;
  }

  /** Octets marked since the last call, at most those given. */
  public long takeMarked(long most) {
    long taken = Math.min(marked, most);
    marked = 0;
    return taken;
  }

  /** Transfers its state. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(AccEcnSender.class);
    packets = snapshot.number("packets", packets);
    octets = snapshot.number("octets", octets);
    marked = snapshot.number("marked", marked);
    estimated = snapshot.number("estimated", estimated);
    ignoresOptions = snapshot.flag("ignoresOptions", ignoresOptions);
    ignores = snapshot.flag("ignores", ignores);
    mangled = snapshot.flag("mangled", mangled);
    first = snapshot.flag("first", first);
    snapshot.end();
  }
}
