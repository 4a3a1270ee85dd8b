package org.rddp.daemon.control;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.rddp.daemon.engine.EngineSleep;
import org.rddp.daemon.engine.Pause;
import org.rddp.daemon.engine.ProgramSignals;
import org.rddp.ipc.control.ControlProtocolException;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.TimeSlice;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.snapshot.Snapshot;

/**
 * The daemon's ends of a program's sockets, and the thread that uses them. The program can block
 * each use for long, or for ever: it can pass descriptors whose close(2) waits (a socket that
 * lingers, a file of its own file system), and let so many threads or epoll instances wait at its
 * end that waking them takes the kernel long. So neither an engine nor the control thread sends,
 * receives or closes here; a program that blocks the thread delays only itself.
 *
 * <p>One exception: an engine itself sends the octet that wakes a program, since another thread
 * would lengthen each round trip of a blocking program; it stops once that has taken long for a
 * program of the same user, see {@link SlowUsers}.
 *
 * <p>This thread also closes descriptors that were sent to the program: so no other file gets a
 * number while a message with it is being sent.
 *
 * <p>For the control thread, except where a method says more.
 */
final class ProgramLink implements ProgramSignals {
  /** Most messages received before the control thread has handled them. */
  private static final int MESSAGES = 16;

  /** Signals of the program after which the thread reads them from the wake-up socket. */
  private static final int SIGNALS = 16;

  /** Signals for which the wake-up socket has room under any kernel settings. */
  private static final int MOST_SIGNALS = 64;

  /** Shortest and longest pause in ns between two checks for descriptors in flight. */
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  /** Rest in ns after a failed turn, so that a lasting failure does not take a whole core. */
  private static final long FAILURE_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private final ControlServer server;
  private final ProgramSession program;
  private final ControlSocket socket;
  private final EventFd wake;
  private final SlowUsers slowUsers;
  private final Integer user;
  private final Thread thread;
  private final ManyToOneConcurrentLinkedQueue<Runnable> tasks =
      new ManyToOneConcurrentLinkedQueue<>();

  /** Whether {@link #wake} has been signalled since the thread looked for work. */
  private final AtomicBoolean woken = new AtomicBoolean();

  /** Signals of the program that have not been read from the wake-up socket. */
  private final AtomicInteger signals = new AtomicInteger();

  /** Messages that have not been sent. */
  private final AtomicInteger waiting = new AtomicInteger();

  private volatile boolean wakesProgram;
  private volatile boolean takesSignals;
  private volatile boolean stopped;

  /** The ends of the wake-up socket; null before {@link #use}. */
  private WakeSocket engineEnd;

  private Runnable clearSignals;

  /** Sends an octet to the program. */
  private Runnable signal;

  private WakeSocket programEnd;

  // ---- Of the thread only ----

  private final PollSet poll = new PollSet();
  private final UnsentMessages unsent = new UnsentMessages();

  /** Whether to receive messages; after some, the control thread asks for more. */
  private boolean reading = true;

  /** Whether messages stay in the socket, for another daemon perhaps. */
  private boolean held;

  private boolean failed;
  private boolean running = true;

  /**
   * Creates a link whose thread is not started.
   *
   * @param wake for this link only
   */
  ProgramLink(ControlServer server, ProgramSession program, ControlSocket socket, EventFd wake) {
    this.server = server;
    this.program = program;
    this.socket = socket;
    this.wake = wake;
    this.slowUsers = server.slowUsers();
    this.user = socket.peer().uid();
    this.thread = new Thread(this::run, "rddp-program-" + program.number());
    // Descriptors from a program must not keep the daemon from ending.
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Runs a task that the program can block, on the thread. Any thread may call this. */
  void execute(Runnable task) {
    tasks.add(task);
    wakeThread();
  }

  private void wakeThread() {
    if (!woken.getAndSet(true)) {
      wake.signal();
    }
  }

  // ---- Messages ----

  /** Sends a message, as soon as the program reads. */
  void send(DaemonMessage message) {
    waiting.incrementAndGet();
    execute(() -> {
      DaemonMessage.ConnectionRequested withdrawn = unsent.withdraw(message);
      if (withdrawn != null) {
        waiting.addAndGet(-2);
        program.onRequestWithdrawn(withdrawn);
      } else if (!unsent.isEmpty() || !sendNow(message)) {
        unsent.add(message, System.nanoTime());
      }
    });
  }

  /** Messages that have not been sent yet. */
  int unsent() {
    return waiting.get();
  }

  /** Receives further messages, after the last ones have been handled. */
  void readOn() {
    execute(() -> reading = true);
  }

  /** Runs a task on the control thread behind the messages received by now. */
  void afterMessages(Runnable task) {
    execute(() -> {
      if (isReading()) {
        receive();
      }
      server.execute(task);
    });
  }

  // ---- The wake-up socket ----

  /**
   * Wakes the program, and is woken by it, through the ends of a wake-up socket.
   *
   * @param engine the daemon's end
   * @param other the program's, see {@link #closeProgramEnd}; null: the program has it already
   * @param sleeps of the threads that it wakes
   */
  void use(WakeSocket engine, WakeSocket other, Set<EngineSleep> sleeps) {
    engineEnd = engine;
    clearSignals = () -> sleeps.forEach(each -> each.clear(engine));
    signal = engine::signal;
    programEnd = other;
  }

  /** Closes the program's end of the wake-up socket, which the program has received. */
  void closeProgramEnd() {
    execute(programEnd::close);
  }

  /**
   * Wakes the program. Allocates nothing, except the first time that it takes long. Engine thread
   * only.
   */
  void wakeProgram() {
    if (slowUsers.contains(user)) {
      wakesProgram = true;
      wakeThread();
    } else if (slowUsers.wake(user, signal)) {
      server.execute(this::reportSlowWaking);
    }
  }

  /** Logs that an engine could not wake the program quickly. */
  private void reportSlowWaking() {
    server
        .events()
        .warn(
            program.logFields(),
            socket.peer().uid(),
            "waking the program took longer than 1 ms, since very many threads or epoll instances"
                + " wait for its wake-up socket: from now on no engine wakes programs of its user,"
                + " but a thread for each of them");
  }

  @Override
  public Descriptor descriptor() {
    return engineEnd.descriptor();
  }

  @Override
  public void onSignal() {
    if (signals.incrementAndGet() >= SIGNALS && !takesSignals) {
      takesSignals = true;
      wakeThread();
    }
  }

  @Override
  public boolean isFull() {
    return signals.get() > MOST_SIGNALS;
  }

  // ---- The thread ----

  private void run() {
    TimeSlice.shorten();
    while (running && !stopped) {
      try {
        turn();
      } catch (IOException | RuntimeException | Error e) {
        server.faults().onFault("the link to " + program.name(), e);
        fail("internal error: " + e);
        LockSupport.parkNanos(FAILURE_PAUSE);
      }
    }
    runTasks();
    close();
    server.execute(() -> server.onGone(program));
  }

  private void turn() throws IOException {
    poll.clear();
    poll.add(wake.descriptor());
    boolean reads = isReading();
    if (reads) {
      poll.add(socket.descriptor());
    }
    poll.await(unsent.untilNextTry(System.nanoTime()));
    if (poll.isReady(0)) {
      wake.clear();
      woken.set(false);
    }
    wakeAndTakeSignals();
    runTasks();
    sendUnsent();
    if (reads && poll.isReady(1) && isReading()) {
      receive();
    }
  }

  private boolean isReading() {
    return reading && !held && !failed && unsent.isEmpty();
  }

  private void wakeAndTakeSignals() {
    if (wakesProgram) {
      wakesProgram = false;
      signal.run();
    }
    if (takesSignals) {
      int taken = signals.get();
      clearSignals.run();
      signals.addAndGet(-taken);
      takesSignals = false;
    }
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private void sendUnsent() {
    long now = System.nanoTime();
    unsent.send(now, this::sendNow);
    if (unsent.waitsTooLong(now)) {
      fail(
          "it has not read the reply to its request for %d s"
              .formatted(TimeUnit.NANOSECONDS.toSeconds(UnsentMessages.LONGEST_WAIT)));
    }
  }

  /** Sends a message; false if it has to wait. After a failure it is dropped. */
  private boolean sendNow(DaemonMessage message) {
    try {
      if (!failed && !socket.send(message)) {
        return false;
      }
    } catch (IOException e) {
      fail(e);
    }
    message.closeOwned();
    waiting.decrementAndGet();
    if (message instanceof DaemonMessage.ConnectionRequested requested) {
      program.onRequestSent(requested);
    }
    return true;
  }

  private void receive() {
    List<ProgramMessage> received = new ArrayList<>();
    IOException end = receive(received);
    if (!received.isEmpty()) {
      reading = false;
      server.execute(() -> program.handle(received));
    }
    if (end != null) {
      fail(end);
    }
  }

  /** Receives messages; returns why there are no further ones, or null. */
  private IOException receive(List<ProgramMessage> received) {
    try {
      while (received.size() < MESSAGES) {
        ProgramMessage message = socket.receiveFromProgram();
        if (message == null) {
          return null;
        }
        if (!received.isEmpty() || !program.serveAtOnce(message)) {
          received.add(message);
        }
      }
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private void fail(IOException cause) {
    if (!hasClosed(cause)) {
      fail("its socket: " + cause.getMessage());
    } else if (!failed) {
      failed = true;
      server.execute(() -> program.endInOrder("its program has ended, or closed the socket"));
    }
  }

  /** Whether the program has closed its end; ECONNRESET says that it left messages unread. */
  private static boolean hasClosed(IOException cause) {
    return cause instanceof EOFException
        || (cause instanceof SystemCallException call
            && (call.errno() == Errno.EPIPE || call.errno() == Errno.ECONNRESET));
  }

  private void fail(String why) {
    if (!failed) {
      failed = true;
      server.execute(() -> program.end(why, null));
    }
  }

  // ---- Another daemon goes on with it ----

  /**
   * Receives no further messages, until {@link #readAgain}.
   *
   * @param then runs on the control thread behind all messages received before
   */
  void hold(Runnable then) {
    execute(() -> {
      held = true;
      server.execute(then);
    });
  }

  /** Receives messages again. */
  void readAgain() {
    execute(() -> held = false);
  }

  /** Lets the thread pause when it has done what it was asked for until now. Any thread. */
  void pause(Pause pause) {
    execute(() -> {
      wakeAndTakeSignals();
      pause.take();
    });
  }

  /** Whether messages hand over descriptors that the program has not received. In a pause. */
  boolean hasDescriptorsToSend() {
    return unsent.haveDescriptors();
  }

  /** Transfers the messages that wait, in a pause; when read, before the thread is started. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ProgramLink.class);
    unsent.transfer(
        snapshot,
        System.nanoTime(),
        message -> {
          waiting.incrementAndGet();
          program.onUnsentAgain(message);
        });
    // The socket may have signals that the other daemon has not read.
    takesSignals = snapshot.reads() && engineEnd != null;
    snapshot.end();
  }

  /** Leaves the program to another daemon: nothing is sent any more. In a pause. */
  void leave() {
    failed = true;
  }

  // ---- The end ----

  /** Ends the connection, before its session has ended. */
  void shutdown() {
    execute(this::shutdownNow);
  }

  private boolean shutdownNow() {
    try {
      socket.shutdown();
      return true;
    } catch (SystemCallException e) {
      // The program has closed its end, which dropped the descriptors in flight.
      return false;
    }
  }

  /**
   * Closes the sockets after the session's end. Gives the session back only when nothing that the
   * program sent is left, so that a program cannot block ever more threads here, and when the
   * program has received its descriptors, since the kernel limits those in flight for all programs
   * together.
   *
   * @param last sent before the end; or null
   * @param leave gives back the session, on the control thread
   */
  void end(DaemonMessage last, Runnable leave) {
    execute(() -> {
      closeWakeUpSocket();
      dropUnread();
      if (hasDescriptorsInFlight()) {
        sendLast(last);
        awaitReceipt();
        close();
        server.execute(leave);
      } else {
        // Before the last message: a program that receives it may open its next session at once.
        server.execute(() -> {
          leave.run();
          execute(() -> {
            sendLast(last);
            close();
          });
        });
      }
    });
  }

  private void closeWakeUpSocket() {
    if (engineEnd != null) {
      engineEnd.close();
      if (programEnd != null) {
        programEnd.close();
      }
    }
  }

  /**
   * Drops unread messages of the program. Nothing comes after them, so they are as many as the
   * program's socket had room for.
   */
  private void dropUnread() {
    try {
      socket.shutdownReceiving();
    } catch (SystemCallException e) {
      // It has closed its end; its earlier messages can be received.
    }
    for (boolean dropped = true; dropped; ) {
      dropped = dropMessage();
    }
  }

  /** Drops the next message of the program; false if there is none. */
  private boolean dropMessage() {
    try {
      ProgramMessage message = socket.receiveFromProgram();
      if (message != null) {
        message.closeDescriptors();
      }
      return message != null;
    } catch (ControlProtocolException e) {
      return true;
    } catch (IOException e) {
      return false;
    } catch (RuntimeException | Error e) {
      // The rest of the end follows, or the session would never be given back.
      server.faults().onFault("an unread request of " + program.name(), e);
      return false;
    }
  }

  private void sendLast(DaemonMessage last) {
    if (last != null) {
      sendNow(last);
    }
  }

  private void awaitReceipt() {
    long pause = FIRST_PAUSE;
    for (boolean open = shutdownNow(); open && !stopped && hasDescriptorsInFlight(); ) {
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  private boolean hasDescriptorsInFlight() {
    try {
      return socket.hasDescriptorsInFlight();
    } catch (SystemCallException e) {
      server.faults().onFault("the socket of " + program.name(), e);
      return false;
    }
  }

  private void close() {
    failed = true;
    running = false;
    unsent.drop(DaemonMessage::closeOwned);
    closeWakeUpSocket();
    socket.close();
  }

  /** Closes the sockets at once, when the daemon ends. */
  void stop() {
    stopped = true;
    wakeThread();
    LockSupport.unpark(thread);
  }

  /**
   * Waits until the thread has ended.
   *
   * @return whether it has, within the time in ns
   */
  boolean awaitEnd(long nanos) throws InterruptedException {
    if (thread.getState() == Thread.State.NEW) {
      close();
      return true;
    }
    return thread.join(Duration.ofNanos(Math.max(1, nanos)));
  }

  /** Releases the remaining resources of the thread, after its end. */
  void release() {
    wake.close();
  }
}
