package org.rddp.simulation.programs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;

/** Which outcomes the programs of the simulation report as errors. */
class ProgramCheckersTest {
  private static final int TURN = 10;

  private final PostedRequests requests = new PostedRequests(null);

  private void post(long number, boolean signalled) {
    PostedRequest request = new PostedRequest(number, Opcode.READ, 8, number);
    request.signal(signalled);
    request.posted(TURN);
    requests.add(request);
  }

  @Test
  void shouldMissTheAnswerOfASignalledReadOnly() {
    post(1, false);
    assertThat(requests.hasUnanswered(TURN + 1, 5)).isFalse();
    post(2, true);
    assertThat(requests.hasUnanswered(TURN + 1, 5)).isTrue();
    assertThat(requests.hasUnanswered(TURN, 5)).isFalse();
    assertThat(requests.hasUnanswered(TURN + 1, 2)).isFalse();
  }

  @Test
  void shouldLetAnotherErrorOfThePeerComeBeforeAWrongRequest() {
    assertThat(ProgramEndpoint.mayFollowWrongRequest(Reason.DDP_ERROR, Reason.TERMINATED)).isTrue();
    assertThat(ProgramEndpoint.mayFollowWrongRequest(Reason.TERMINATED, Reason.DDP_ERROR)).isTrue();
    assertThat(ProgramEndpoint.mayFollowWrongRequest(Reason.TERMINATED, null)).isFalse();
    assertThat(ProgramEndpoint.mayFollowWrongRequest(Reason.TERMINATED, Reason.PEER_CLOSE))
        .isFalse();
    assertThat(ProgramEndpoint.mayFollowWrongRequest(Reason.PEER_CLOSE, Reason.LOCAL_CLOSE))
        .isFalse();
  }
}
