package org.rddp.nio;

import java.nio.channels.SelectableChannel;

/**
 * A channel of this provider, as a selector sees it: a part that is rddp's, one that is the
 * kernel's, both or none yet. Any thread.
 */
interface RddpChannel {
  /** The channel of the JDK that a selector watches, too; null: none. */
  SelectableChannel kernelPart();

  /** What becomes ready on rddp; null: nothing is rddp's. */
  Shared<?> rddpPart();

  /** Which operations of those asked for are ready now on rddp. Allocates nothing. */
  int readyOperations(int interest);

  /**
   * Makes the part's descriptor ready as soon as one of these operations is. Look for them
   * afterwards.
   *
   * @param told whether the selector's waiter is told instead
   */
  void arm(int interest, boolean told);

  /** The keys, which are told of changes. */
  Keys keys();
}
