package org.rddp.daemon.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.ddp.sending.TenantScheduler;

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
    TenantShare share = ofInterface.of(user);
    SendTenant known = tenants.get(share);
    stream.sender().sendAs(known == null ? add(share) : known);
  }

  /** The tenants that have a name, or have had a connection here. Any thread. */
  public List<Entry> all() {
    return all;
  }
}
