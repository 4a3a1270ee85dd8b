package org.rddp.client;

import org.rddp.client.types.PrivateData;
import org.rddp.client.types.StartupTerms;

/** The peer's program rejected the connection. */
public final class ConnectionRejectedException extends RddpException {
  private static final long serialVersionUID = 1L;

  private final transient PrivateData privateData;
  private final transient StartupTerms startup;

  ConnectionRejectedException(PrivateData privateData, StartupTerms startup) {
    super(
        "the peer rejected the connection"
            + (privateData.length() == 0 ? "" : "; its private data: " + privateData));
    this.privateData = privateData;
    this.startup = startup;
  }

  /** The private data of the peer's rejection. */
  public PrivateData privateData() {
    return privateData == null ? PrivateData.NONE : privateData;
  }

  /**
   * The peer's IRD and ORD: its ORD may be more than this end's IRD if its program needs that many
   * (RFC 6581 section 9.1). Null in a copy that was deserialized.
   */
  public StartupTerms startup() {
    return startup;
  }
}
