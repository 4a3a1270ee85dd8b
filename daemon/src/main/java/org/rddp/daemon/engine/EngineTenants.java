package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.sending.SendScheduler;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.ddp.sending.TenantScheduler;
import org.rddp.snapshot.Snapshot;

/** The tenants of one engine. Engine thread only, except {@link #all}. */
public final class EngineTenants {
  /**
   * A tenant on this engine.
   *
   * @param share its share of the interface
   * @param tenant its streams here, and what they have sent
   */
  public record Entry(TenantShare share, SendTenant tenant) {}

  private final InterfaceTenants ofInterface;
  private final TenantScheduler scheduler;
  private final Map<TenantShare, SendTenant> tenants = new HashMap<>();
  private final List<Entry> all = new CopyOnWriteArrayList<>();

  /** Makes an engine share what it sends among the tenants of its interface. */
  EngineTenants(InterfaceTenants ofInterface, DdpEngine ddp) {
    this.ofInterface = ofInterface;
    scheduler = ddp.share(ofInterface.limit());
    ofInterface.named().forEach(this::add);
  }

  private SendTenant add(TenantShare share) {
    SendTenant made = scheduler.add(share.configured().weight(), share.limit());
    tenants.put(share, made);
    all.add(new Entry(share, made));
    return made;
  }

  /** Lets a stream of a user that has not begun send as its tenant. */
  void own(DdpStream stream, int user) {
    stream.sender().sendAs(tenant(ofInterface.of(user)));
  }

  private SendTenant tenant(TenantShare share) {
    SendTenant known = tenants.get(share);
    return known == null ? add(share) : known;
  }

  /**
   * Transfers who the tenants of an engine are; their state follows with {@link
   * DdpEngine#transfer}.
   *
   * @param tenants null for an engine that shares nothing
   * @return those that are written, in their order; when read, those of the same name, and others
   *     without effect for what the reader has no name for
   */
  static List<SendTenant> transfer(Snapshot snapshot, EngineTenants tenants) {
    List<Entry> written = tenants == null || snapshot.reads() ? List.of() : tenants.all;
    List<SendTenant> transferred = new ArrayList<>();
    snapshot.begin(EngineTenants.class);
    for (int i = 0; snapshot.flag("tenants", i < written.size()); i++) {
      TenantShare share = snapshot.reads() ? null : written.get(i).share();
      String name = snapshot.text("name", share == null ? null : share.name());
      boolean single = share != null && share.users().size() == 1;
      int user = snapshot.number("user", single ? share.users().getFirst() : 0);
      if (snapshot.reads()) {
        share = tenants == null ? null : tenants.ofInterface.find(name, user);
      }
      SendTenant found = share == null ? null : tenants.tenant(share);
      transferred.add(found == null || transferred.contains(found) ? unused() : found);
    }
    snapshot.end();
    return transferred;
  }

  private static SendTenant unused() {
    return new TenantScheduler(new SendScheduler(), null).add(1, null);
  }

  /** The tenants that have a name, or have had a connection here. Any thread. */
  public List<Entry> all() {
    return all;
  }
}
