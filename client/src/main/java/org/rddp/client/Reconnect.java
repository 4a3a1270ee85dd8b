package org.rddp.client;

import java.time.Duration;

/**
 * What a program does when its daemon ends and another one takes over: given to {@link
 * RddpOptions#withReconnect}, it makes the session outlive its daemon.
 *
 * <p>{@link Rddp#poll} and {@link Rddp#await} notice that the daemon has ended, after all
 * completions that it has still written have been passed. They call {@link #onLost}, then try to
 * reach the next daemon at the same socket: {@code poll} now and then, without waiting, {@code
 * await} until its timeout. When a daemon answers, the session is restored and {@link #onRestored}
 * is called. Both methods are called on the thread that polls.
 *
 * <p>Restored are the {@link MemoryRegion}s that the session has allocated, with their contents and
 * at the same addresses, listeners at their addresses, shared receive queues (empty) and memory
 * windows (not bound). <b>Every region and window has another STag</b>: peers have to be told, and
 * a {@link ScatterList} has to be filled again. Ended are all connections, what was posted, and the
 * regions in {@link LostSession#regions}.
 *
 * <p>The kernel lets no second daemon write the memory that the first one had mapped. Therefore the
 * contents move: each memory is copied once into new memory, which takes the old one's place. The
 * program needs as much memory again as its largest memory meanwhile, and the time of the copy.
 * What other threads write to the regions between {@link #onLost} and {@link #onRestored} may be
 * missing in the copy; reading is safe all the time. In that time, all other calls of the session
 * throw {@link SessionLostException}; other threads must not close objects of the session then.
 */
public interface Reconnect {
  /**
   * The daemon has ended.
   *
   * @param lost what ended with it
   */
  void onLost(LostSession lost);

  /**
   * Another daemon has taken over, and the session is usable again. The method may use it: connect,
   * listen, post. A {@link SessionLostException} that leaves the method is not reported further,
   * since the loss is reported by {@link #onLost} again.
   */
  void onRestored(Rddp session);

  /**
   * The time from the loss within which another daemon must have answered; after it, {@link
   * Rddp#poll} and {@link Rddp#await} throw {@link SessionLostException}. A daemon of another
   * control protocol ends the attempts at once.
   *
   * @return five minutes, unless the program says otherwise
   */
  default Duration timeout() {
    return Duration.ofMinutes(5);
  }
}
