package org.rddp.daemon.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineTenants;
import org.rddp.ddp.sending.SendTenant;

/**
 * The metrics of tenants, with the labels {@code interface} and {@code tenant}; none where there
 * are no tenants. Any thread.
 */
final class TenantMetrics {
  private static final double SECOND = 1e9;

  private TenantMetrics() {}

  static void addTo(List<MetricSnapshot> all, List<Engine> engines) {
    if (engines.stream().allMatch(engine -> engine.tenants() == null)) {
      return;
    }
    all.add(
        metric(
            engines,
            "rddp_tenant_sent_bytes",
            "Octets of frames with data that a tenant's connections have sent, those sent again"
                + " included.",
            SendTenant::sentOctets));
    all.add(
        metric(
            engines,
            "rddp_tenant_held_seconds",
            "Time for which its rate kept a tenant from sending what waited.",
            tenant -> tenant.heldNanos() / SECOND));
    all.add(
        metric(
            engines,
            "rddp_tenant_lent_bytes",
            "Octets of a tenant's share that others have sent while it had nothing to send.",
            SendTenant::lentOctets));
  }

  private static MetricSnapshot metric(
      List<Engine> engines, String name, String help, ToDoubleFunction<SendTenant> value) {
    CounterSnapshot.Builder metric = CounterSnapshot.builder().name(name).help(help);
    for (Engine engine : engines) {
      EngineTenants tenants = engine.tenants();
      if (tenants != null) {
        for (EngineTenants.Entry each : tenants.all()) {
          Labels labels = Labels.of("interface", engine.name(), "tenant", each.share().name());
          metric.dataPoint(
              CounterDataPointSnapshot.builder()
                  .labels(labels)
                  .value(value.applyAsDouble(each.tenant()))
                  .build());
        }
      }
    }
    return metric.build();
  }
}
