package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalInt;

/** The users and groups that the machine knows, by name (getpwnam(3), getgrnam(3)). */
public final class Accounts {
  /** Offset of pw_uid and of gr_gid: both follow two pointers, name and password. */
  private static final int ID_OFFSET = 16;

  private static final SystemCall GETPWNAM = SystemCall.bind("getpwnam", "l:l");
  private static final SystemCall GETGRNAM = SystemCall.bind("getgrnam", "l:l");

  private Accounts() {}

  /** The id of a user; empty if there is none with the name. */
  public static OptionalInt userId(String name) {
    return id(GETPWNAM, name);
  }

  /** The id of a group; empty if there is none with the name. */
  public static OptionalInt groupId(String name) {
    return id(GETGRNAM, name);
  }

  /** The functions return a pointer to memory that the next call overwrites. */
  private static synchronized OptionalInt id(SystemCall function, String name) {
    try (Arena arena = Arena.ofConfined()) {
      long entry = function.attempt(arena.allocateFrom(name).address());
      return entry <= 0
          ? OptionalInt.empty()
          : OptionalInt.of(
              MemorySegment.ofAddress(entry)
                  .reinterpret(ID_OFFSET + Integer.BYTES)
                  .get(ValueLayout.JAVA_INT, ID_OFFSET));
    }
  }
}
