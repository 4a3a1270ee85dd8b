package org.rddp.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamWaiter;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.ring.AdaptivePolling;

/**
 * A selector of channels of this provider and of the JDK's own.
 *
 * <p>It sleeps in a selector of the JDK's, which watches the kernel's channels, the sockets of its
 * waiters, and an epoll instance with the descriptors of channels that are rddp's. A waiter tells
 * in memory which streams have something new, and wakes the thread once for all of them. A channel
 * that was ready is looked at by each selection until it is not. A listener, or a stream that
 * another selector's waiter is told of, is looked at in vain some times; then the daemon is asked
 * to make its descriptor ready, and nobody looks any more until that has happened.
 */
final class RddpSelector extends AbstractSelector {
  /** So often the epoll instance is asked while others are ready, or looked at in vain. */
  private static final int EVENTS_EACH = 16;

  private final Selector kernel;
  private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
  private final Set<SelectionKey> keysSeen = Collections.unmodifiableSet(keys);
  private final SelectedKeys selected = new SelectedKeys();
  private final AtomicReference<RddpKey> changed = new AtomicReference<>();
  private final AdaptivePolling polling;
  private final Consumer<SelectionKey> onKernel = this::onKernel;
  private volatile boolean woken;

  // ---- Of the selecting thread, under this object's lock ----

  private boolean selecting;
  private int kernelKeys;

  /** Those that are looked at. */
  private RddpKey[] looked = new RddpKey[16];

  private int lookedCount;

  /** Whose descriptors are watched, by token. */
  private RddpKey[] watched = new RddpKey[16];

  private final BitSet tokens = new BitSet();
  private int watchedCount;
  private int selections;

  /** Whether the selection has found one ready, which a select() returns for with 0, too. */
  private boolean anyFound;

  private final SelectorWaiters waiters = new SelectorWaiters();
  private final IntConsumer onBit = this::onBit;
  private EventSet events;
  private DatagramChannel eventsChannel;

  /** Whether the JDK's selector has found the epoll instance ready. */
  private boolean eventsReady;

  RddpSelector(RddpSelectorProvider provider) throws IOException {
    super(provider);
    polling = new AdaptivePolling(provider.polling(), waiters::leaveEngines);
    kernel = Kernel.provider().openSelector();
  }

  private void ensureOpen() {
    if (!isOpen()) {
      throw new ClosedSelectorException();
    }
  }

  @Override
  public Set<SelectionKey> keys() {
    ensureOpen();
    return keysSeen;
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    ensureOpen();
    return selected;
  }

  // ---- Registering, by any thread ----

  @Override
  protected SelectionKey register(
      AbstractSelectableChannel channel, int operations, Object attachment) {
    boolean isOwn = channel instanceof RddpChannel && channel.provider().equals(provider());
    if (!isOwn && !channel.provider().equals(Kernel.provider())) {
      throw new IllegalSelectorException();
    }
    ensureOpen();
    RddpKey key = new RddpKey(this, channel);
    key.attach(attachment);
    keys.add(key);
    try {
      key.interestOps(operations);
      change(key);
    } catch (RuntimeException e) {
      keys.remove(key);
      key.cancel();
      throw e;
    }
    if (!isOpen()) {
      key.cancel();
      throw new ClosedSelectorException();
    }
    return key;
  }

  /** The next selection takes the key's interest and the channel's parts anew. */
  void change(RddpKey key) {
    if (key.markChanged()) {
      RddpKey first;
      do {
        first = changed.get();
        key.next = first;
      } while (!changed.compareAndSet(first, key));
    }
  }

  /** So does one that goes on. */
  void changeNow(RddpKey key) {
    change(key);
    kernel.wakeup();
  }

  @Override
  public Selector wakeup() {
    woken = true;
    kernel.wakeup();
    return this;
  }

  // ---- Selecting ----

  @Override
  public int selectNow() throws IOException {
    return select(0, null);
  }

  @Override
  public int select() throws IOException {
    return select(-1, null);
  }

  @Override
  public int select(long timeout) throws IOException {
    return select(limit(timeout), null);
  }

  @Override
  public int selectNow(Consumer<SelectionKey> action) throws IOException {
    return select(0, Objects.requireNonNull(action));
  }

  @Override
  public int select(Consumer<SelectionKey> action) throws IOException {
    return select(-1, Objects.requireNonNull(action));
  }

  @Override
  public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
    return select(limit(timeout), Objects.requireNonNull(action));
  }

  private static long limit(long timeout) {
    if (timeout < 0) {
      throw new IllegalArgumentException("Negative timeout");
    }
    return timeout == 0 ? -1 : timeout;
  }

  /** Selects; with a negative limit without one, with 0 without waiting. */
  private int select(long millis, Consumer<SelectionKey> action) throws IOException {
    synchronized (this) {
      ensureOpen();
      if (selecting) {
        throw new IllegalStateException("select in progress");
      }
      selecting = true;
      try {
        synchronized (selected) {
          return selectLocked(millis, action);
        }
      } finally {
        selecting = false;
      }
    }
  }

  private int selectLocked(long millis, Consumer<SelectionKey> action) throws IOException {
    long end = millis <= 0 ? 0 : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    forgetCancelled();
    boolean wait = millis != 0;
    int found = 0;
    anyFound = false;
    while (true) {
      takeChanges();
      boolean wakes = woken;
      if (wakes) {
        // Only what has been seen: the JDK's selector may forget a wake-up that comes now.
        woken = false;
      }
      if (kernelKeys > 0 || wakes) {
        kernel.selectNow(onKernel);
      }
      waiters.take(onBit);
      found = report(action);
      // One who polls asks by and by.
      boolean asks = anyFound ? ++selections % EVENTS_EACH == 0 : !wait || eventsReady;
      if (asks && takesEvents()) {
        found += report(action);
      }
      if (anyFound || wakes || !wait || !isOpen() || Thread.currentThread().isInterrupted()) {
        break;
      }
      if (polls() || !armAll()) {
        continue;
      }
      long left = millis < 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime() + 999_999);
      wait = millis < 0 || left > 0;
      if (waiters.beginSleep() && wait && !woken) {
        kernel.select(onKernel, left);
      }
      waiters.endSleep();
    }
    if (isOpen()) {
      forgetCancelled();
    }
    return found;
  }

  private void onKernel(SelectionKey key) {
    switch (key.attachment()) {
      case RddpKey own -> {
        own.addKernelReady(key.readyOps());
        look(own);
      }
      case StreamWaiter waiter -> waiters.onReadable(waiter);
      case null, default -> eventsReady = true;
    }
  }

  /** Looks at the streams of a waiter's bit. */
  private void onBit(int bit) {
    for (int token = bit; token < watched.length; token += StreamWaiter.BITS) {
      if (watched[token] != null) {
        look(watched[token]);
      }
    }
  }

  /** Takes over what other threads have asked for; what fails is asked for again. */
  private void takeChanges() throws IOException {
    IOException failure = null;
    RddpKey key = changed.get() == null ? null : changed.getAndSet(null);
    while (key != null) {
      RddpKey next = key.next;
      key.clearChanged();
      if (key.isValid()) {
        try {
          boolean had = key.hasKernelPart();
          key.watch(this);
          kernelKeys += key.hasKernelPart() && !had ? 1 : 0;
        } catch (ClosedChannelException | CancelledKeyException | IllegalBlockingModeException e) {
          // The key is being cancelled, by closing its channel or not.
        } catch (IOException e) {
          failure = e;
          change(key);
        }
        look(key);
      }
      key = next;
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void forgetCancelled() throws IOException {
    Set<SelectionKey> cancelled = cancelledKeys();
    boolean flushes = false;
    synchronized (cancelled) {
      if (cancelled.isEmpty()) {
        return;
      }
      for (SelectionKey each : cancelled) {
        flushes |= forget((RddpKey) each);
      }
      cancelled.clear();
    }
    if (flushes) {
      // A key that the JDK's selector keeps would forbid to register its channel again.
      kernel.selectNow(onKernel);
    }
  }

  private boolean forget(RddpKey key) {
    boolean hadKernelPart = key.forget(this);
    kernelKeys -= hadKernelPart ? 1 : 0;
    unlook(key);
    keys.remove(key);
    selected.remove(key);
    deregister(key);
    return hadKernelPart;
  }

  /** Takes what the epoll instance has to tell. Returns whether it has. */
  private boolean takesEvents() {
    eventsReady = false;
    int count = watchedCount > lookedCount ? events.poll() : 0;
    for (int i = 0; i < count; i++) {
      RddpKey key = watched[(int) events.token(i)];
      if (key != null) {
        key.onEvent();
        look(key);
      }
    }
    return count > 0;
  }

  /** Looks at those that are looked at. Returns how many keys were selected or updated. */
  private int report(Consumer<SelectionKey> action) {
    int found = 0;
    int i = 0;
    while (i < lookedCount) {
      RddpKey key = looked[i];
      int ready = key.isValid() ? key.takeReady() : 0;
      boolean stays = key.isValid() && key.isRddps();
      if (ready != 0) {
        key.idle = 0;
      } else if (stays && ++key.idle >= key.mostLooks(lookedCount)) {
        key.idle = 0;
        stays = !key.arm();
      }
      if (stays) {
        i++;
      } else {
        unlook(key);
      }
      if (ready != 0) {
        found += report(key, ready, action);
      }
    }
    return found;
  }

  private int report(RddpKey key, int ready, Consumer<SelectionKey> action) {
    anyFound = true;
    if (action != null) {
      key.ready(ready);
      action.accept(key);
      ensureOpen();
      return 1;
    }
    if (selected.put(key)) {
      key.ready(ready);
      return 1;
    }
    int before = key.ready();
    key.ready(before | ready);
    return (ready & ~before) != 0 ? 1 : 0;
  }

  /** Polls for as long as pays. Returns whether something has come. */
  private boolean polls() {
    if (watchedCount == 0) {
      return false;
    }
    polling.begin();
    for (int turn = 1; polling.goesOn(); turn++) {
      if (woken
          || changed.get() != null
          || waiters.areRung()
          || anyReady()
          || (turn % EVENTS_EACH == 0 && takesEvents())) {
        polling.succeed();
        return true;
      }
    }
    return false;
  }

  private boolean anyReady() {
    for (int i = 0; i < lookedCount; i++) {
      if (looked[i].isReady()) {
        return true;
      }
    }
    return false;
  }

  /** Leaves all to the epoll instance. Returns false if one is ready. */
  private boolean armAll() {
    for (int i = lookedCount - 1; i >= 0; i--) {
      if (!looked[i].arm()) {
        return false;
      }
      unlook(looked[i]);
    }
    return changed.get() == null;
  }

  private void look(RddpKey key) {
    if (key.place < 0) {
      if (lookedCount == looked.length) {
        looked = Arrays.copyOf(looked, 2 * lookedCount);
      }
      key.place = lookedCount;
      looked[lookedCount++] = key;
    }
  }

  private void unlook(RddpKey key) {
    if (key.place >= 0) {
      RddpKey last = looked[--lookedCount];
      looked[lookedCount] = null;
      if (last != key) {
        looked[key.place] = last;
        last.place = key.place;
      }
      key.place = -1;
    }
  }

  // ---- For keys ----

  SelectionKey register(SelectableChannel channel, int interest, RddpKey key) throws IOException {
    return channel.register(kernel, interest, key);
  }

  /**
   * Watches a part of a channel: adds its descriptor to the epoll instance, which the JDK's
   * selector watches.
   *
   * @param stream null: it is none
   * @return whether a waiter is told of what is new
   */
  boolean add(RddpKey key, Descriptor descriptor, ProgramStream stream) throws IOException {
    if (events == null) {
      EventSet made = EventSet.create();
      try {
        eventsChannel = JdkDescriptor.over(made.descriptor());
        eventsChannel.register(kernel, SelectionKey.OP_READ);
      } catch (IOException e) {
        made.close();
        throw e;
      }
      events = made;
    }
    int token = tokens.nextClearBit(0);
    if (token == watched.length) {
      watched = Arrays.copyOf(watched, 2 * token);
    }
    boolean told = stream != null && waiters.tell(stream, token, kernel);
    try {
      events.add(descriptor, told ? EventSet.PEER_ENDED : EventSet.IN | EventSet.OUT, token);
    } catch (IOException e) {
      if (told) {
        stream.tellNobody();
      }
      throw e;
    }
    watched[token] = key;
    tokens.set(token);
    watchedCount++;
    key.token = token;
    return told;
  }

  void remove(RddpKey key, Descriptor descriptor) {
    events.remove(descriptor);
    watched[key.token] = null;
    tokens.clear(key.token);
    watchedCount--;
    key.token = -1;
  }

  @Override
  protected void implCloseSelector() throws IOException {
    wakeup();
    synchronized (this) {
      synchronized (selected) {
        for (SelectionKey each : keys) {
          each.cancel();
          forget((RddpKey) each);
        }
        selected.clear();
        waiters.close();
        kernel.close();
        if (events != null) {
          eventsChannel.close();
          events.close();
        }
      }
    }
  }
}
