package org.rddp.bench.verbs;

/**
 * A round of {@link ToolRig}.
 *
 * @param test {@code lat} or {@code bw}
 * @param operation {@code write}, {@code send} or {@code read}
 * @param octets of a message
 * @param count of messages
 */
record ToolTask(String test, String operation, int octets, int count) {
  boolean isLatency() {
    return test.equals("lat");
  }
}
