package org.rddp.nio;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The keys of a channel, whose selectors learn of what the channel itself does. Thread-safe. */
final class Keys {
  private final List<RddpKey> all = new CopyOnWriteArrayList<>();

  void add(RddpKey key) {
    all.add(key);
  }

  void remove(RddpKey key) {
    all.remove(key);
  }

  /** Makes the selectors look at the channel anew, those that sleep, too. */
  void changed() {
    for (RddpKey key : all) {
      key.change();
    }
  }

  /** Lets the kernel's part of the channel be made blocking, if no key is valid. */
  void release() {
    for (RddpKey key : all) {
      key.release();
    }
  }
}
