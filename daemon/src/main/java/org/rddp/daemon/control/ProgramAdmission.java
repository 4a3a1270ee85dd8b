package org.rddp.daemon.control;

import java.io.IOException;
import java.nio.file.attribute.PosixFilePermission;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.log.LogFields;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;

/**
 * Accepts or refuses the programs that connect to the control socket. Control thread only, except
 * at the end.
 */
final class ProgramAdmission {
  /** Most programs accepted at a time, before connected programs are served. */
  private static final int ACCEPTED = 16;

  /** Most sockets of refused programs that wait to be closed; with more, no program is accepted. */
  private static final int MOST_REFUSED = 64;

  /** Longest pause in ns after a failed accept(2). */
  private static final long ADMISSION_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final ControlServer server;
  private final ControlListener listener;
  private final ResourceShares shares;
  private WaitingPrograms waiting;

  /** Closes the sockets of refused programs, which can block it. */
  private final ExecutorService refusing = MappingThreads.thread("rddp-refuse");

  private int refused;

  /** For the next program's link; null unless left over from the last accept(2). */
  private EventFd nextWake;

  /** Number of the program that was accepted last. */
  private int lastNumber;

  /** Whether accepting pauses because the last accept(2) failed. */
  private boolean paused;

  ProgramAdmission(
      ControlServer server, ControlListener listener, ResourceShares shares, Limits limits) {
    this.server = server;
    this.listener = listener;
    this.shares = shares;
    limit(limits);
  }

  /** Changes the limits of programs that have not begun a session. */
  void limit(Limits limits) {
    waiting = new WaitingPrograms(limits);
  }

  /** Changes who may connect: see {@link ControlListener#permit}. */
  void permit(Set<PosixFilePermission> permissions, OptionalInt group) throws IOException {
    listener.permit(permissions, group);
  }

  /** Whether programs are accepted now. */
  boolean isOpen() {
    return !paused && refused < MOST_REFUSED;
  }

  /** Ends a pause after a program has gone. */
  void resume() {
    paused = false;
  }

  /** The control socket, which is ready when a program connects. */
  Descriptor descriptor() {
    return listener.descriptor();
  }

  /** Whether there is a {@link ControlListener#accepted}. */
  boolean hasAccepted() {
    return listener.accepted() != null;
  }

  /** Accepts programs that connect, and ends others that wait if there are too many. */
  void acceptPrograms() {
    for (int i = 0; i < ACCEPTED; i++) {
      ControlSocket socket;
      try {
        if (nextWake == null) {
          nextWake = EventFd.create();
        }
        socket = listener.accept();
      } catch (IOException | RuntimeException | Error e) {
        // For example, no descriptors are left. Sessions go on.
        onNotAccepted(e);
        return;
      }
      if (socket == null) {
        return;
      }
      admit(socket);
    }
  }

  private void onNotAccepted(Throwable cause) {
    try {
      if (listener.isAwaited()) {
        server.report("the control socket", cause);
        makeRoom();
      }
    } catch (SystemCallException e) {
      server.report("the control socket", e);
    }
  }

  /**
   * Ends a waiting program without a session; if there is none, or one is ending already, pauses
   * until a program has ended.
   */
  private void makeRoom() {
    ProgramSession victim = server.isNobodyEnding() ? waiting.victim(server.programs()) : null;
    if (victim != null) {
      victim.end("it has not opened a session, and no descriptors are left", null);
    } else {
      paused = true;
      server.after(ADMISSION_PAUSE, this::resume);
    }
  }

  private void admit(ControlSocket socket) {
    PeerCredentials process = socket.peer().ofConnection(++lastNumber);
    Resources share = shares.join(process);
    try {
      share.programs().take(1);
    } catch (RequestRefusedException e) {
      shares.leave(process);
      refuse(socket, e.getMessage());
      return;
    }
    ProgramSession program = new ProgramSession(server, lastNumber, socket, nextWake, share);
    nextWake = null;
    try {
      program.link().start();
    } catch (RuntimeException | Error e) {
      server.report("a program that connects", e);
      server.leave(program);
      refuse(socket, "it has no thread");
      return;
    }
    server.onAdmitted(program);
    ProgramSession victim = waiting.victim(server.programs(), program);
    if (victim != null) {
      // Its Hello may have arrived since it was accepted.
      victim.yieldPlace("it has not opened a session, and others want its place");
    }
  }

  /** Transfers the number of the program that was accepted last, and one that lacks a number. */
  void transfer(Snapshot snapshot, HandedDescriptors descriptors) {
    lastNumber = snapshot.number("lastNumber", lastNumber);
    if (snapshot.flag("accepted", hasAccepted())) {
      listener.inherit(descriptors.transfer(listener.accepted()));
    }
  }

  /**
   * Takes a program that another daemon has accepted; its link is not started.
   *
   * @param number its number in the daemon
   * @param descriptor of its control socket; closed with the session
   */
  ProgramSession inherit(int number, Descriptor descriptor) {
    try {
      ControlSocket socket = ControlSocket.inherit(descriptor);
      PeerCredentials process = socket.peer().ofConnection(number);
      Resources share = shares.join(process);
      share.programs().add(1);
      ProgramSession program = new ProgramSession(server, number, socket, EventFd.create(), share);
      server.onAdmitted(program);
      return program;
    } catch (SystemCallException e) {
      throw new SnapshotException("a program cannot be served: " + e.getMessage());
    }
  }

  private void refuse(ControlSocket socket, String why) {
    PeerCredentials peer = socket.peer().ofConnection(lastNumber);
    LogFields fields = LogFields.session("", lastNumber, "", peer.pid(), peer.uid());
    server.events().refused(fields, peer.uid(), why);
    refused++;
    refusing.execute(() -> {
      socket.close();
      server.execute(() -> refused--);
    });
  }

  /** Leaves the control socket's path to another daemon. */
  void leave() {
    listener.leave();
  }

  /** Removes the control socket from the file system and closes it. */
  void close() {
    try {
      listener.remove();
    } catch (IOException e) {
      server.events().fault("the control socket", e);
    }
    refusing.execute(() -> {
      try {
        listener.close();
      } catch (IOException e) {
        server.faults().onFault("the control socket", e);
      }
    });
  }

  /** Closes the resources kept for the next program. */
  void release() {
    if (nextWake != null) {
      nextWake.close();
    }
  }

  /** Waits until the sockets of refused programs are closed; returns whether they are. */
  boolean awaitRefused(long timeoutNanos) throws InterruptedException {
    refusing.shutdown();
    return refusing.awaitTermination(timeoutNanos, TimeUnit.NANOSECONDS);
  }
}
