package org.rddp.daemon.engine;

import org.rddp.client.types.Access;
import org.rddp.ddp.memory.AccessRights;

/** Converts the rights that a program names to those of DDP. */
final class DdpRights {
  private DdpRights() {}

  /** Rights of {@link AccessRights} for bits of {@link Access}. */
  static int of(int bits) {
    int rights = 0;
    if (Access.LOCAL_WRITE.isIn(bits)) {
      rights |= AccessRights.LOCAL_WRITE;
    }
    if (Access.REMOTE_WRITE.isIn(bits)) {
      rights |= AccessRights.REMOTE_WRITE;
    }
    if (Access.REMOTE_READ.isIn(bits)) {
      rights |= AccessRights.REMOTE_READ;
    }
    if (Access.REMOTE_ATOMIC.isIn(bits)) {
      rights |= AccessRights.REMOTE_ATOMIC;
    }
    if (Access.REMOTE_INVALIDATE.isIn(bits)) {
      rights |= AccessRights.REMOTE_INVALIDATE;
    }
    if (Access.MW_BIND.isIn(bits)) {
      rights |= AccessRights.BIND;
    }
    return rights;
  }
}
