package org.rddp.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.daemon.configuration.TenantConfiguration;
import org.rddp.daemon.engine.InterfaceTenants;

/**
 * Who share what the engines of a host send: nobody in two thirds of the runs, otherwise users by
 * weights and rates drawn from the run's seed. The user 1 is a tenant with a name.
 */
public final class SimulatedTenants {
  /** Arbitrary: seeds the generator that draws tenants. */
  private static final long TENANTS = 0x5465_6e61_6e74L;

  private static final int HEAVIEST = 16;
  private static final double LEAST_RATE = 10e6;
  private static final double MOST_RATE = 10e9;
  private static final int LARGEST_BURST = 1 << 17;

  private final SplittableRandom random;
  private final RandomSettings choices;
  private final List<TenantConfiguration> tenants = new ArrayList<>();
  private long rate;

  /**
   * Draws the tenants of a host.
   *
   * @param seed of the run
   */
  public SimulatedTenants(long seed) {
    random = new SplittableRandom(seed ^ TENANTS);
    choices = new RandomSettings(random);
    if (choices.oneIn(3)) {
      tenants.add(draw("one", List.of(1)));
      tenants.add(draw("", List.of()));
      rate = rate();
    }
  }

  private TenantConfiguration draw(String name, List<Integer> users) {
    int weight = 1 + random.nextInt(HEAVIEST);
    return new TenantConfiguration(name, users, weight, rate(), 1 + random.nextInt(LARGEST_BURST));
  }

  private long rate() {
    return choices.oneIn(3) ? (long) choices.logUniform(LEAST_RATE, MOST_RATE) : 0;
  }

  /** New shares for the engines of the host; null if nobody shares anything. */
  public InterfaceTenants make() {
    return InterfaceTenants.of(tenants, rate);
  }
}
