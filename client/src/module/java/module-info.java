/** The library for programs: a session with the daemon, memory, connections and their requests. */
module org.rddp.client {
  exports org.rddp.client;
  exports org.rddp.client.types;
}
