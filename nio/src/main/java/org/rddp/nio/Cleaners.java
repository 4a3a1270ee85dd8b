package org.rddp.nio;

import java.lang.ref.Cleaner;
import org.rddp.ipc.linux.EventFd;

/** Closes what belongs to objects that nobody closes. */
final class Cleaners {
  private static final Cleaner CLEANER = Cleaner.create();

  private Cleaners() {}

  /** Closes a descriptor when its owner can no longer be reached. */
  static void closeAfter(Object owner, EventFd owned) {
    CLEANER.register(owner, owned::close);
  }
}
