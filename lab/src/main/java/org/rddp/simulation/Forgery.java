package org.rddp.simulation;

/** What a {@link Forger} sends. */
enum Forgery {
  /** Any message of Neighbour Discovery, with a hop limit that routers have lowered. */
  FROM_BEYOND_THE_LINK("forged from beyond the link"),

  /** An unsolicited advertisement of the address of one of the hosts. */
  CLAIM("forged claims of an address"),

  /** A router advertisement. */
  ROUTER("forged router advertisements"),

  /** A redirect for packets to the peer. */
  REDIRECT("forged redirects"),

  /** A Packet Too Big that quotes octets that are not in flight. */
  TOO_BIG("forged Packet Too Big");

  private final String words;

  Forgery(String words) {
    this.words = words;
  }

  /** Its name in totals. */
  String words() {
    return words;
  }
}
