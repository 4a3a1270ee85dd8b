package org.rddp.simulation.programs;

/** Draws the requests of one end, and counts those that were posted. */
final class RequestMaker {
  private static final int LARGE = 1 << 20;

  private final ProgramEndpoint end;

  /** Number of the next request. */
  private long number;

  RequestMaker(ProgramEndpoint end) {
    this.end = end;
  }

  /** Requests posted so far. */
  long posted() {
    return number;
  }

  /** Whether the end may post one more. */
  boolean hasRoom() {
    return end.outstanding().size() < sendDepth() && end.stags().localStag() != 0;
  }

  private int sendDepth() {
    return end.program().host().settings().sendDepth();
  }

  /** Octets of a message: few, a part of a segment, some segments or as many as may be. */
  int length(int most) {
    if (most > LARGE && end.random().nextInt(4) == 0) {
      return most - end.random().nextInt(most - LARGE);
    }
    int segment = Math.max(64, end.hosts().mtu() - 100);
    int drawn =
        switch (end.plan().small() ? end.random().nextInt(4) : end.random().nextInt(16)) {
          case 0 -> end.random().nextInt(16);
          case 1, 2, 3 -> end.random().nextInt(200);
          case 4, 5, 6, 7, 8 -> end.random().nextInt(segment);
          case 15 -> end.random().nextInt(most + 1);
          default -> end.random().nextInt(6 * segment);
        };
    return Math.min(drawn, most);
  }

  /** Draws a request to be posted; at least every fifth one is signalled. */
  PostedRequest draw(int opcode, int octets) {
    PostedRequest request = new PostedRequest(end.random().nextLong(), opcode, octets, number);
    PostedRequests outstanding = end.outstanding();
    boolean must = outstanding.unsignalled() >= 4 || outstanding.size() + 2 >= sendDepth();
    request.signal(must || end.random().nextDouble() >= end.plan().unsignalled());
    return request;
  }

  /** A request was written to the ring. */
  void posted(PostedRequest request, ProgramEvent event) {
    number++;
    request.posted(end.program().turns());
    end.outstanding().add(request);
    end.count(event);
    if (!request.signalled()) {
      end.count(ProgramEvent.UNSIGNALLED);
    }
    if (end.hosts().isTraced()) {
      end.say("posts " + request + ", " + request.octets() + " octets, id " + request.id());
    }
  }
}
