package org.rddp.client;

import java.time.Duration;

/**
 * A program's callbacks for the end of its daemon and the start of another: with {@link
 * RddpOptions#withReconnect}, the session outlives its daemon.
 *
 * <p>{@link Rddp#poll} and {@link Rddp#await} notice the daemon's end after they have passed all
 * completions that it wrote. They call {@link #onLost}, then try to reach the next daemon at the
 * same socket: {@code poll} now and then, without waiting, {@code await} until its timeout. When a
 * daemon answers, the session is restored and {@link #onRestored} is called. Both methods are
 * called on the thread that polls.
 *
 * <p>Restored are the {@link MemoryRegion}s that the session has allocated, with their contents and
 * at the same addresses, listeners at their addresses, shared receive queues (empty) and memory
 * windows (not bound). <b>Every region and window has another STag</b>: tell the peers, and fill
 * each {@link ScatterList} again. All connections, posted requests, and the regions in {@link
 * LostSession#regions} have ended.
 *
 * <p>Where the daemon has CAP_LINUX_IMMUTABLE, the next one gets the same memory; each memory then
 * takes a descriptor of the program. Otherwise the kernel lets no second daemon write the memory
 * that the first one had mapped. Therefore each memory is copied into new memory, which replaces
 * it. The program needs as much additional memory as its largest memory during the copy. Writes of
 * other threads to the regions between {@link #onLost} and {@link #onRestored} may be missing in
 * the copy; reading is always safe. In that time, all other calls of the session throw {@link
 * SessionLostException}; other threads must not close objects of the session then.
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
   * listen, post. A {@link SessionLostException} that it throws is dropped, since {@link #onLost}
   * reports the loss.
   */
  void onRestored(Rddp session);

  /**
   * Time from the loss until another daemon must have answered; after it, {@link Rddp#poll} and
   * {@link Rddp#await} throw {@link SessionLostException}. A daemon of another control protocol
   * ends the attempts at once.
   *
   * @return five minutes, unless the program says otherwise
   */
  default Duration timeout() {
    return Duration.ofMinutes(5);
  }
}
