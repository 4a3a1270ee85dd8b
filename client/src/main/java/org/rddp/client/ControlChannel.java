package org.rddp.client;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.ThreadEnd;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PollSet;

/**
 * The control connection of a session: sends requests, receives replies and events, and has a
 * thread that detects the end of the daemon. Thread-safe.
 */
final class ControlChannel {
  /** Receives events on the channel's thread. */
  interface Events {
    void onEvent(DaemonMessage event);

    /** The session is lost. The last call, made once. */
    void onLost(SessionLostException why);
  }

  /** A request that waits for its reply. */
  private record Pending(
      CompletableFuture<DaemonMessage> reply, Consumer<DaemonMessage> onArrival) {}

  private static final long SEND_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ControlSocket socket;
  private final Duration timeout;
  private final EventFd wake;
  private final Map<Integer, Pending> pending = new ConcurrentHashMap<>();
  private final AtomicInteger lastRequest = new AtomicInteger();
  private final Thread thread;
  private Events events;
  private volatile SessionLostException lost;
  private volatile boolean closing;

  ControlChannel(ControlSocket socket, Duration timeout) throws IOException {
    this.socket = socket;
    this.timeout = TimedWait.bounded(timeout);
    this.wake = EventFd.create();
    this.thread = Thread.ofPlatform().daemon().name("rddp-control").unstarted(this::run);
  }

  /** Starts receiving. */
  void start(Events receiver) {
    events = receiver;
    thread.start();
  }

  /** The reason why the session is lost, or null. */
  SessionLostException lost() {
    return lost;
  }

  /** Sends a request and waits for its reply. */
  <T extends DaemonMessage> T request(IntFunction<ProgramMessage> message, Class<T> answer) {
    return request(message, answer, reply -> {});
  }

  /** Sends a request that may take longer than others by some time, and waits for its reply. */
  <T extends DaemonMessage> T request(
      IntFunction<ProgramMessage> message, Class<T> answer, Duration longer) {
    return request(message, answer, reply -> {}, timeout.plus(longer));
  }

  /**
   * Sends a request and waits for its reply.
   *
   * @param message creates the message from the request's number
   * @param answer the type of the reply
   * @param onArrival called with the reply on the channel's thread, before later messages are
   *     handled
   * @throws RefusedException if the daemon refuses the request
   * @throws SessionLostException if the daemon has ended or does not answer in time
   */
  <T extends DaemonMessage> T request(
      IntFunction<ProgramMessage> message, Class<T> answer, Consumer<T> onArrival) {
    return request(message, answer, onArrival, timeout);
  }

  private <T extends DaemonMessage> T request(
      IntFunction<ProgramMessage> message,
      Class<T> answer,
      Consumer<T> onArrival,
      Duration patience) {
    int number = nextRequest();
    CompletableFuture<DaemonMessage> reply = expect(number, answer, onArrival);
    try {
      send(message.apply(number));
      return answer(await(reply, patience), answer);
    } finally {
      pending.remove(number);
    }
  }

  private int nextRequest() {
    return lastRequest.updateAndGet(last -> last == Integer.MAX_VALUE ? 1 : last + 1);
  }

  private <T extends DaemonMessage> CompletableFuture<DaemonMessage> expect(
      int number, Class<T> answer, Consumer<T> onArrival) {
    CompletableFuture<DaemonMessage> reply = new CompletableFuture<>();
    pending.put(
        number,
        new Pending(
            reply,
            arrived -> {
              if (answer.isInstance(arrived)) {
                onArrival.accept(answer.cast(arrived));
              }
            }));
    return reply;
  }

  /**
   * Sends a request. The result is completed on a thread of the default executor: with the reply,
   * or as {@link #request} throws.
   *
   * @param onArrival called with the reply on the channel's thread, before later messages are
   *     handled
   */
  <T extends DaemonMessage> CompletableFuture<T> requestAsync(
      IntFunction<ProgramMessage> message, Class<T> answer, Consumer<T> onArrival) {
    int number = nextRequest();
    CompletableFuture<DaemonMessage> reply = expect(number, answer, onArrival);
    try {
      send(message.apply(number));
      throwIfLost();
    } catch (RddpException e) {
      reply.completeExceptionally(e);
    }
    return reply
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .handleAsync((arrived, failure) -> {
          pending.remove(number);
          if (failure instanceof TimeoutException) {
            throw replyTimedOut(timeout);
          }
          if (failure != null) {
            throw failure instanceof RddpException known ? known : sessionLost(failure);
          }
          return answer(arrived, answer);
        });
  }

  private void send(ProgramMessage message) {
    long start = System.nanoTime();
    try {
      while (!socket.send(message)) {
        if (System.nanoTime() - start > timeout.toNanos()) {
          throw replyTimedOut(timeout);
        }
        throwIfLost();
        TimeUnit.NANOSECONDS.sleep(SEND_RETRY_NANOS);
      }
    } catch (IOException | IllegalStateException e) {
      throw sessionLost(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private DaemonMessage await(CompletableFuture<DaemonMessage> reply, Duration patience) {
    // When the session is lost, the thread fails all pending requests. Later requests fail here. A
    // daemon that refuses a session closes it after its reply, which must not be missed.
    SessionLostException why = lost;
    if (why != null && !reply.isDone()) {
      throw sessionLost(why);
    }
    try {
      return reply.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw replyTimedOut(patience);
    } catch (ExecutionException e) {
      throw sessionLost(e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static <T extends DaemonMessage> T answer(DaemonMessage reply, Class<T> answer) {
    if (answer.isInstance(reply)) {
      return answer.cast(reply);
    }
    if (reply instanceof DaemonMessage.Refused refused) {
      throw new RefusedException(refused.reason(), refused.text());
    }
    reply.closeDescriptors();
    throw new RddpException("the daemon sent an unexpected reply: " + reply);
  }

  void throwIfLost() {
    SessionLostException why = lost;
    if (why != null) {
      throw sessionLost(why);
    }
  }

  private SessionLostException replyTimedOut(Duration patience) {
    SessionLostException why =
        new SessionLostException(
            "the daemon (pid %d) has not answered for %s; the session ends"
                .formatted(socket.peer().pid(), patience),
            null);
    lose(why);
    return why;
  }

  private static SessionLostException sessionLost(Throwable cause) {
    return new SessionLostException(
        cause instanceof SessionLostException ? cause.getMessage() : "the daemon is gone", cause);
  }

  private static RddpException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new RddpException("interrupted while waiting for the daemon", e);
  }

  private void run() {
    PollSet poll = new PollSet();
    poll.add(wake.descriptor());
    poll.add(socket.descriptor());
    try {
      while (!closing && lost == null) {
        poll.await(-1);
        // Not of its process: another one may go on with the session.
        receiveAll();
      }
    } catch (EOFException e) {
      lose(new SessionLostException("the daemon is gone: " + e.getMessage(), e));
    } catch (IOException | RuntimeException | Error e) {
      lose(new SessionLostException("the session broke: " + e.getMessage(), e));
    }
    finish();
  }

  private void receiveAll() throws IOException {
    DaemonMessage message = socket.receiveFromDaemon();
    while (message != null) {
      if (message.request() == 0) {
        events.onEvent(message);
      } else {
        answer(message);
      }
      message = socket.receiveFromDaemon();
    }
  }

  private void answer(DaemonMessage reply) {
    Pending request = pending.remove(reply.request());
    if (request == null) {
      reply.closeDescriptors();
      return;
    }
    request.onArrival().accept(reply);
    request.reply().complete(reply);
  }

  private synchronized void lose(SessionLostException why) {
    if (lost == null) {
      lost = why;
      wake.signal();
    }
  }

  private void finish() {
    lose(new SessionLostException("the session is closed", null));
    // A request that is added later finds the session lost.
    pending.values().forEach(request -> request.reply().completeExceptionally(lost));
    events.onLost(lost);
  }

  /** Stops the thread and closes the socket. */
  void close() {
    closing = true;
    if (thread.isAlive()) {
      wake.signal();
      ThreadEnd.await(thread);
    }
    socket.close();
    wake.close();
  }
}
