package org.rddp.ip;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.rddp.snapshot.Snapshot;

/** Transfers the associations of an interface but for their replay windows, which stacks own. */
final class AssociationTransfer {
  private final Snapshot snapshot;
  private final long ahead;
  private final AssociationFactory factory;
  private final List<HostAddress> ours;
  private final List<InboundAssociation> inbound = new ArrayList<>();
  private final List<List<OutboundAssociation>> outbound = new ArrayList<>();
  private final Set<List<Object>> names = new HashSet<>();

  /**
   * Creates a transfer.
   *
   * @param ahead see {@link AssociationDatabase#write}
   * @param ours every address of the interface
   */
  AssociationTransfer(
      Snapshot snapshot, long ahead, AssociationFactory factory, List<HostAddress> ours) {
    this.snapshot = snapshot;
    this.ahead = ahead;
    this.factory = factory;
    this.ours = ours;
  }

  /** Transfers all; returns those that are read, or {@code written}. */
  AssociationDatabase.Contents all(AssociationDatabase.Contents written) {
    snapshot.begin(AssociationDatabase.class);
    int generation = snapshot.number("generation", written.generation(), 0, Integer.MAX_VALUE);
    boolean reads = snapshot.reads();
    try {
      int received = snapshot.number("inbound", written.inbound().size(), 0, most());
      for (int i = 0; i < received; i++) {
        inbound.add(inbound(reads ? null : written.inbound().get(i)));
      }
      int sent = snapshot.number("outbound", written.outbound().size(), 0, most() - received);
      for (int i = 0; i < sent; i++) {
        outbound.add(outbound(reads ? null : written.outbound().get(i)));
      }
      snapshot.end();
    } catch (RuntimeException wrong) {
      if (reads) {
        read(generation).forget();
      }
      throw wrong;
    }
    return reads ? read(generation) : written;
  }

  private static int most() {
    return AssociationDatabase.MOST;
  }

  private AssociationDatabase.Contents read(int generation) {
    return new AssociationDatabase.Contents(
        generation, List.copyOf(inbound), List.copyOf(outbound));
  }

  private InboundAssociation inbound(InboundAssociation written) {
    snapshot.begin(InboundAssociation.class);
    AssociationSettings settings = settings(written, true);
    AssociationKeys keys = keys(settings, written);
    // What the stack that opens its packets writes later replaces this.
    long received = snapshot.number("received", written == null ? 0 : written.sequence());
    long since = snapshot.number("since", written == null ? 0 : written.since);
    snapshot.end();
    if (written != null) {
      return written;
    }
    InboundAssociation read = factory.inbound(settings, keys, received, since);
    remember(read, true);
    return read;
  }

  private List<OutboundAssociation> outbound(List<OutboundAssociation> parts) {
    OutboundAssociation written = parts == null ? null : parts.getFirst();
    snapshot.begin(OutboundAssociation.class);
    AssociationSettings settings = settings(written, false);
    AssociationKeys keys = keys(settings, written);
    SentNumbers sent = written == null ? null : written.numbers;
    SentNumbers numbers = SentNumbers.transfer(snapshot, sent, settings.esn(), ahead);
    int order = snapshot.number("order", written == null ? 0 : written.order);
    long since = snapshot.number("since", written == null ? 0 : written.since);
    snapshot.end();
    if (written != null) {
      return parts;
    }
    List<OutboundAssociation> read = factory.outbound(settings, keys, numbers, order, since);
    remember(read.getFirst(), false);
    return read;
  }

  private AssociationSettings settings(Association written, boolean receives) {
    AssociationSettings settings =
        AssociationSettings.transfer(snapshot, written == null ? null : written.settings());
    if (ours.contains(settings.destination()) != receives
        || ours.contains(settings.source()) == receives) {
      throw snapshot.wrong("an association is not between an address of the interface and others");
    }
    // What comes is found by the SPI alone.
    Object other = receives ? "inbound" : settings.destination();
    if (!names.add(List.of(settings.spi(), other))) {
      throw snapshot.wrong("association 0x%08x is there twice".formatted(settings.spi()));
    }
    return settings;
  }

  private AssociationKeys keys(AssociationSettings settings, Association written) {
    AssociationKeys keys =
        written == null ? new AssociationKeys(settings.suite().keyOctets()) : written.keys;
    keys.transfer(snapshot);
    return keys;
  }

  /** No other association of this process can have the keys, either. */
  private void remember(Association read, boolean receives) {
    boolean ignored = factory.usedKeys().add(read.settings(), receives, read.fingerprint);
  }
}
