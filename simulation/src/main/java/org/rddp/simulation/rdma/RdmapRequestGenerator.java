package org.rddp.simulation.rdma;

import java.util.SplittableRandom;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.rdmap.RequestFlags;
import org.rddp.simulation.memory.AtomicOperation;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.ModelStag;

/** Draws requests that are right, and posts them. */
final class RdmapRequestGenerator {
  private final StreamEndpoint end;
  private final SplittableRandom random;
  private final RdmapPlan plan;
  private final int segment;

  RdmapRequestGenerator(StreamEndpoint end, SplittableRandom random, RdmapPlan plan) {
    this.end = end;
    this.random = random;
    this.plan = plan;
    segment = Math.max(64, end.world().mtu() - 100);
  }

  /** Posts one, if there is one that may be posted; how many segments it takes, about. */
  double ask() {
    if (end.peer().stream() == null) {
      return 0.01;
    }
    int kind = random.nextInt(100);
    boolean reads = !end.peer().closing();
    int octets;
    if (kind < 34) {
      octets = write(false);
    } else if (kind < 40) {
      octets = write(true);
    } else if (kind < 64) {
      octets = send();
    } else if (kind < 70) {
      octets = immediate();
    } else if (kind < 86) {
      octets = reads ? read() : -1;
    } else {
      octets = reads ? atomic() : -1;
    }
    return octets < 0 ? 0.05 : 1 + (double) octets / segment;
  }

  private int flags() {
    int flags = random.nextInt(4) == 0 ? RequestFlags.SOLICITED : 0;
    return flags | (random.nextDouble() < plan.fence() ? RequestFlags.FENCED : 0);
  }

  private int length(int most) {
    if (most == 0) {
      return 0;
    }
    int drawn =
        switch (plan.small() ? random.nextInt(4) : random.nextInt(16)) {
          case 0 -> random.nextInt(16) == 0 ? 0 : 1 + random.nextInt(8);
          case 1, 2, 3 -> random.nextInt(200);
          case 4, 5, 6, 7, 8 -> random.nextInt(segment);
          case 15 -> random.nextInt(most + 1);
          default -> random.nextInt(6 * segment);
        };
    return Math.min(drawn, most);
  }

  private int write(boolean immediate) {
    if (immediate && !mayMessage(Long.BYTES)) {
      return -1;
    }
    ModelStag tag = end.peer().tags().pick(AccessRights.REMOTE_WRITE);
    int length = tag == null ? 0 : length(tag.length());
    if (length == 0) {
      int stag = end.peer().tags().noName();
      return end.posts().write(stag, 0, 0, null, flags(), immediate, null) ? 0 : -1;
    }
    int at = tag.from() + random.nextInt(tag.length() - length + 1);
    int flags = flags();
    if (end.peer().memory().hasAtomic(at, at + length)) {
      // Nobody could say what such an atomic finds.
      flags |= RequestFlags.FENCED;
    }
    Reach reach = Reach.of(tag, at, length);
    boolean posted =
        end.posts().write(tag.stag(), tag.to(at), length, reach, flags, immediate, null);
    return posted ? length : -1;
  }

  /** Whether the next message finds a receive of so many octets, or may come without one. */
  private boolean mayMessage(int octets) {
    RdmapReceive receive = end.out().nextReceive();
    return receive == null ? end.peer().program().takesUnposted() : receive.length() >= octets;
  }

  private int send() {
    if (!mayMessage(0)) {
      return -1;
    }
    RdmapReceive receive = end.out().nextReceive();
    int most = receive == null ? end.peer().program().mostUnposted() : receive.length();
    int length = random.nextInt(8) == 0 ? most : length(most);
    int flags = flags();
    ModelStag tag = random.nextInt(8) == 0 && !end.errors().provoked() ? invalidated() : null;
    if (tag != null && end.peer().memory().hasReads(tag)) {
      // What still has to be answered by that name would not be.
      flags |= RequestFlags.FENCED;
    }
    boolean posted = end.posts().send(length, flags, tag, tag == null ? 0 : tag.stag(), null);
    if (posted && tag != null) {
      tag.giveUp();
    }
    return posted ? length : -1;
  }

  private ModelStag invalidated() {
    return end.peer().tags().pick(AccessRights.REMOTE_INVALIDATE);
  }

  private int immediate() {
    return mayMessage(Long.BYTES) && end.posts().immediate(flags()) ? Long.BYTES : -1;
  }

  private int read() {
    ModelStag tag = end.peer().tags().pick(AccessRights.REMOTE_READ);
    boolean refused = random.nextInt(40) == 0;
    int most = tag == null ? 0 : Math.min(tag.length(), end.posts().mostRead());
    int length = length(most);
    if (length == 0) {
      int stag = end.peer().tags().noName();
      return end.posts().read(stag, 0, null, 0, 0, flags(), false, null) ? 0 : -1;
    }
    int at = tag.from() + random.nextInt(tag.length() - length + 1);
    boolean posted =
        end.posts().read(tag.stag(), tag.to(at), tag, at, length, flags(), refused, null);
    return posted ? length : -1;
  }

  private int atomic() {
    ModelStag tag = end.peer().tags().pick(AccessRights.REMOTE_ATOMIC);
    int first = tag == null ? 0 : (tag.from() + Long.BYTES - 1) & -Long.BYTES;
    int words = tag == null ? 0 : (tag.end() - first) / Long.BYTES;
    if (words < 1) {
      return -1;
    }
    // Often the same few, so that atomics meet.
    int at = first + random.nextInt(Math.min(words, 4)) * Long.BYTES;
    MemoryModel memory = end.peer().memory();
    if (!memory.isDeterminate(at, at + Long.BYTES)) {
      return -1;
    }
    AtomicOperation operation = AtomicOperation.draw(random, memory.posted(at, Long.BYTES));
    boolean posted = end.posts().atomic(tag.stag(), tag.to(at), tag, at, operation, flags(), null);
    return posted ? Long.BYTES : -1;
  }
}
