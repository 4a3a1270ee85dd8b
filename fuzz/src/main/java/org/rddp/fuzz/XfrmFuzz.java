package org.rddp.fuzz;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.HostAddress;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.ReplayWindow;
import org.rddp.ipc.control.SecretOctets;
import org.rddp.mirror.KernelAssociation;
import org.rddp.mirror.Xfrm;
import org.rddp.mirror.XfrmEvents;

/**
 * Any octets as messages of NETLINK_XFRM, of which the mirror gets associations and their keys.
 *
 * <p>An input is the messages as the kernel would send them. An association that can be used must
 * be one that the daemon takes: its addresses, algorithms, keys and window; one that cannot has a
 * reason. No keys may be left afterwards.
 */
public final class XfrmFuzz implements XfrmEvents {
  private static final Set<InetAddress> OURS =
      Set.of(address("10.0.0.1"), address("10.0.0.9"), address("2001:db8::1"));

  private final List<SecretOctets> given = new ArrayList<>();

  private XfrmFuzz() {}

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    XfrmFuzz fuzz = new XfrmFuzz();
    new Xfrm(OURS).read(ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder()), fuzz);
    for (SecretOctets each : fuzz.given) {
      Frames.require(isZero(each.octets()), "keys were not overwritten");
    }
  }

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static boolean isZero(byte[] octets) {
    for (byte each : octets) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void onAssociation(KernelAssociation each) {
    given.add(each.keys());
    SecurityAssociation association = each.association();
    Frames.require(each.problem().isEmpty() == (association != null), "a problem and no reason");
    Frames.require(!each.toString().isEmpty(), "no name");
    if (association == null) {
      return;
    }
    HostAddress source = HostAddress.parse(association.source());
    HostAddress destination = HostAddress.parse(association.destination());
    Frames.require(!source.equals(destination), "both addresses are one");
    Frames.require(
        OURS.contains(address(association.source()))
            != OURS.contains(address(association.destination())),
        "one address must be ours");
    EspSuite suite = EspSuite.of(association.algorithms()).orElseThrow();
    byte[] keys = each.keys().octets();
    Frames.require(keys.length == suite.keyOctets(), "octets of keys");
    Frames.require(!isZero(keys), "keys of zeros");
    int window = association.window();
    Frames.require(
        window == 0 || (window >= ReplayWindow.LEAST && window <= ReplayWindow.MOST), "window");
    Frames.require(isPort(association.localPort()) && isPort(association.remotePort()), "ports");
    Frames.require(
        association.softOctets() >= 0
            && association.hardOctets() >= 0
            && association.softSeconds() >= 0
            && association.hardSeconds() >= 0,
        "lifetimes");
    if (!association.remote().isEmpty()) {
      AddressPrefix.parse(association.remote());
    }
  }

  private static boolean isPort(int number) {
    return number >= 0 && number <= 0xffff;
  }

  @Override
  public void onDeleted(KernelAssociation.Name name) {
    Frames.require(!name.toString().isEmpty(), "no name");
  }

  @Override
  public void onExpired(KernelAssociation.Name name) {
    Frames.require(Xfrm.expire(name, true).length > 0, "no answer");
  }

  @Override
  public void onFlushed() {}

  @Override
  public void onDumped() {}

  @Override
  public void onRefused(int errno) {
    Frames.require(errno != 0, "a refusal without a reason");
  }
}
