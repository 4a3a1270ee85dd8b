package org.rddp.ipc.control;

import java.nio.file.Path;
import org.rddp.ipc.linux.PollSet;

/**
 * A program whose end of the socket outlives it: it sends the descriptor to the daemon and waits.
 */
final class SocketHolder {
  private SocketHolder() {}

  public static void main(String[] arguments) throws Exception {
    ControlSocket socket = ControlSocket.connect(Path.of(arguments[0]));
    socket.send(new ProgramMessage.AdoptMemory(1, socket.descriptor()));
    System.out.println("ready");
    PollSet poll = new PollSet();
    poll.add(socket.descriptor());
    poll.await(-1);
  }
}
