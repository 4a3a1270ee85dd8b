package org.rddp.client;

import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.ipc.control.RegionSettings;

/**
 * Options of a {@link MemoryRegion}.
 *
 * @param access the access rights; this program's own sends and writes may always read the region.
 *     With {@link Access#REMOTE_INVALIDATE} the region must be for one connection
 * @param connection the only connection whose peer may use the STag; any right of the peer then
 *     lets it invalidate the STag as well (RFC 5040 section 5.3). Null: all of the session
 * @param baseTo Tagged Offset of the first octet, unsigned: the peer adds it to an offset in the
 *     region. Requests of this program count offsets from the region's first octet. With the
 *     region's length added it must be below 2^64
 * @param domain number of the protection domain, see {@link ProtectionDomains}; that of the
 *     connection if one is given
 */
public record RegionOptions(List<Access> access, Connection connection, long baseTo, int domain) {
  /** Copies the list. */
  public RegionOptions {
    access = List.copyOf(access);
    ProtectionDomains.check(domain);
  }

  /** Options of a region for all connections, whose Tagged Offsets begin at 0. */
  public static RegionOptions of(Access... access) {
    return new RegionOptions(List.of(access), null, 0, ProtectionDomains.DEFAULT);
  }

  /** Copies the options for one connection only, or for all if it is null. */
  public RegionOptions withConnection(Connection only) {
    return new RegionOptions(access, only, baseTo, domain);
  }

  /** Copies the options with another Tagged Offset of the first octet. */
  public RegionOptions withBaseTo(long to) {
    return new RegionOptions(access, connection, to, domain);
  }

  /** Copies the options with another protection domain. */
  public RegionOptions withDomain(int number) {
    return new RegionOptions(access, connection, baseTo, number);
  }

  /** Refuses a connection that has ended. */
  void checkConnection() {
    if (connection != null) {
      connection.checkNotEnded();
    }
  }

  RegionSettings settings() {
    int rights = Access.bits(access.toArray(Access[]::new));
    int only = connection == null ? 0 : connection.id();
    if (only == 0 && !Access.mayBeShared(rights)) {
      throw new IllegalArgumentException(
          "a region with REMOTE_INVALIDATE must be for one connection: register the memory again"
              + " with MemoryRegion.register(connection, ...), or bind a memory window to it");
    }
    return new RegionSettings(rights, only, baseTo, domain);
  }
}
