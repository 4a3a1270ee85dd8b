import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.util.Arrays;
import java.util.List;

/** Three members of Hazelcast, and a client. The kernel may not know the address, so members listen at the wildcard address. */
class HazelcastProgram {
  private static final int ENTRIES = 5000;
  private static final int OCTETS = 2048;
  private static final int PORT = 5701;

  public static void main(String[] arguments) {
    String address = arguments[0];
    List<HazelcastInstance> members = List.of(member(address, 0), member(address, 1), member(address, 2));
    System.out.println(members.getLast().getCluster().getMembers().size() + " members");
    ClientConfig config = new ClientConfig();
    config.getNetworkConfig().addAddress(address + ":" + PORT);
    HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
    for (int i = 0; i < ENTRIES; i++) {
      members.get(i % 3).getMap("all").set(i, octets(i));
    }
    int same = 0;
    for (int i = 0; i < ENTRIES; i++) {
      same += Arrays.equals((byte[]) client.getMap("all").get(i), octets(i)) ? 1 : 0;
    }
    System.out.println(same + " entries are the same");
    // What a member had goes on at the others.
    members.getFirst().getLifecycleService().terminate();
    System.out.println(members.getLast().getMap("all").size() + " entries in " + members.getLast().getCluster().getMembers().size() + " members");
    client.shutdown();
    Hazelcast.shutdownAll();
  }

  private static byte[] octets(int number) {
    byte[] octets = new byte[OCTETS];
    Arrays.fill(octets, (byte) number);
    return octets;
  }

  private static HazelcastInstance member(String address, int index) {
    Config config = new Config();
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.getNetworkConfig().setPort(PORT + index).setPortAutoIncrement(false).setPublicAddress(address + ":" + (PORT + index));
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(List.of(address + ":" + PORT, address + ":" + (PORT + 1), address + ":" + (PORT + 2)));
    return Hazelcast.newHazelcastInstance(config);
  }
}
