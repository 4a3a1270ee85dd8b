package org.rddp.client;

import org.rddp.client.types.PrivateData;

/** The peer's program rejected the connection. */
public final class ConnectionRejectedException extends RddpException {
  private static final long serialVersionUID = 1L;

  private final transient PrivateData privateData;

  ConnectionRejectedException(PrivateData privateData) {
    super(
        "the peer rejected the connection"
            + (privateData.length() == 0 ? "" : "; its private data: " + privateData));
    this.privateData = privateData;
  }

  /** The private data of the peer's rejection. */
  public PrivateData privateData() {
    return privateData == null ? PrivateData.NONE : privateData;
  }
}
