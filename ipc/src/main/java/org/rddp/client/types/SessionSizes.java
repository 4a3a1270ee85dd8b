package org.rddp.client.types;

/**
 * The sizes that a program asks for when it opens a session. 0 is the daemon's configured default;
 * a number is limited by the configuration ({@code largest-} keys of {@code [limits]}). {@link
 * SessionLimits} has the sizes that the session gets.
 *
 * @param sendQueue outstanding requests in the send queue of a connection
 * @param receiveQueue outstanding receives of a connection
 * @param requests slots of the submission ring, rounded up to a power of two
 * @param completions slots of the completion ring, and so outstanding requests of the session;
 *     rounded up to a power of two
 * @param regions regions and windows
 * @param memories memories: brought by the program, or larger than 1 MiB
 */
public record SessionSizes(
    int sendQueue, int receiveQueue, int requests, int completions, int regions, int memories) {
  /** The daemon's defaults. */
  public static final SessionSizes CONFIGURED = new SessionSizes(0, 0, 0, 0, 0, 0);

  /** Refuses negative numbers. */
  public SessionSizes {
    if (sendQueue < 0
        || receiveQueue < 0
        || requests < 0
        || completions < 0
        || regions < 0
        || memories < 0) {
      throw new IllegalArgumentException(
          "a size of a session is 0 (as configured) or more: send queue %d, receive queue %d, requests %d, completions %d, regions %d, memories %d"
              .formatted(sendQueue, receiveQueue, requests, completions, regions, memories));
    }
  }

  /** Copies the sizes with other queues of a connection. */
  public SessionSizes withQueues(int send, int receive) {
    return new SessionSizes(send, receive, requests, completions, regions, memories);
  }

  /** Copies the sizes with other slots of the rings. */
  public SessionSizes withRings(int submissions, int completed) {
    return new SessionSizes(sendQueue, receiveQueue, submissions, completed, regions, memories);
  }

  /** Copies the sizes with other numbers of regions and memories. */
  public SessionSizes withMemory(int mostRegions, int mostMemories) {
    return new SessionSizes(
        sendQueue, receiveQueue, requests, completions, mostRegions, mostMemories);
  }
}
