package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.rddp.ipc.control.OfferSocket;
import org.rddp.ipc.control.StreamOffer;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.ring.StreamEnds;

class ProgramListenerTest {
  private static final int MANY = 1000;

  private static int offersUntilFull(PairedSocket[] ends) throws IOException {
    StreamEnds addresses = new StreamEnds(2, new byte[16], 1, new byte[16], 2);
    StreamOffer offer =
        new StreamOffer(0, 0, 1, 1, addresses, ends[0].descriptor(), ends[1].descriptor());
    OfferSocket socket = new OfferSocket(ends[0].descriptor());
    int count = 0;
    while (count < MANY && socket.offer(offer)) {
      count++;
    }
    return count;
  }

  /** A program may say that it has streams that are in the socket still, so that others follow. */
  @Test
  void shouldHaveRoomInTheSocketForTheStreamsOfferedAndFewMore() throws Exception {
    PairedSocket[] ends = ProgramListener.sockets();
    assertThat(offersUntilFull(ends))
        .isBetween(ProgramListener.OFFERED, 2 * ProgramListener.OFFERED);
    ends[0].close();
    ends[1].close();
  }
}
