import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TCP_NIO2;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;

/** Three members of JGroups: one sends to all, one to another. They listen at the wildcard address. */
class JgroupsProgram {
  private static final int MESSAGES = 5000;
  private static final int OCTETS = 3000;
  private static final int PORT = 7800;

  public static void main(String[] arguments) throws Exception {
    InetAddress address = InetAddress.getByName(arguments[0]);
    List<JChannel> members = List.of(member(address, 0), member(address, 1), member(address, 2));
    // From one to all, itself among them, and to one more.
    CountDownLatch left = new CountDownLatch(4 * MESSAGES);
    AtomicInteger wrong = new AtomicInteger();
    for (JChannel each : members) {
      each.setReceiver(
          new Receiver() {
            @Override
            public void receive(Message message) {
              byte[] got = message.getArray();
              byte[] wanted = new byte[OCTETS];
              Arrays.fill(wanted, got[message.getOffset()]);
              if (!Arrays.equals(wanted, 0, OCTETS, got, message.getOffset(), message.getOffset() + message.getLength())) {
                wrong.incrementAndGet();
              }
              left.countDown();
            }
          });
    }
    for (JChannel each : members) {
      each.connect("all");
    }
    while (members.getFirst().getView().size() < 3) {
      Thread.sleep(10);
    }
    for (int i = 0; i < MESSAGES; i++) {
      byte[] octets = new byte[OCTETS];
      Arrays.fill(octets, (byte) i);
      members.getFirst().send(new BytesMessage(null, octets));
      members.getLast().send(new BytesMessage(members.get(1).getAddress(), octets));
    }
    left.await();
    System.out.println(members.getLast().getView().size() + " members, " + 4 * MESSAGES + " messages, " + wrong + " wrong");
    for (JChannel each : members) {
      each.close();
    }
  }

  private static InetSocketAddress at(InetAddress address, int index) {
    return new InetSocketAddress(address, PORT + index);
  }

  private static JChannel member(InetAddress address, int index) throws Exception {
    TCP_NIO2 transport = new TCP_NIO2();
    transport.setBindAddress(InetAddress.getByName("0.0.0.0"));
    transport.setExternalAddr(address).setBindPort(PORT + index).setPortRange(0);
    TCPPING ping = new TCPPING();
    ping.setInitialHosts(List.of(at(address, 0), at(address, 1), at(address, 2)));
    ping.setPortRange(0);
    return new JChannel(
        transport, ping, new MERGE3(), new FD_ALL3(), new VERIFY_SUSPECT2(), new NAKACK2(), new UNICAST3(), new STABLE(), new GMS().printLocalAddress(false), new FRAG4());
  }
}
