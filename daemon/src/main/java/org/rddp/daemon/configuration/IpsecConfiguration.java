package org.rddp.daemon.configuration;

import java.nio.file.Path;
import java.util.Optional;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;

/**
 * The ESP of an interface.
 *
 * @param policy which traffic must be in ESP
 * @param keyFile associations with keys by hand that the daemon begins with, an absolute path
 */
public record IpsecConfiguration(SecurityPolicy policy, Optional<Path> keyFile) {
  /** Whether traffic for which there is no rule must be in ESP. */
  public boolean isRequired() {
    return policy.otherwise() == PolicyAction.REQUIRE;
  }
}
