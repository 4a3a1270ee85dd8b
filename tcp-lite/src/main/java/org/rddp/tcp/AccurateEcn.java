package org.rddp.tcp;

/** When a stack uses accurate ECN (RFC 9768) instead of that of RFC 3168. */
public enum AccurateEcn {
  /** Never. */
  OFF,
  /** With peers that ask for it; our SYN asks for RFC 3168's. */
  ACCEPT,
  /** Our SYN asks for it, too; peers that do not know it take that for RFC 3168's. */
  ASK
}
