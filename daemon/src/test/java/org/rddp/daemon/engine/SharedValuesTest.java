package org.rddp.daemon.engine;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.SendFlags;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.AddressPieces;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.rdmap.RdmapCompletionStatus;
import org.rddp.rdmap.RdmapFlags;

/**
 * Numbers that the daemon passes on as they are, between programs and the engines, which do not
 * know each other.
 */
class SharedValuesTest {
  private static Map<String, Integer> constants(Class<?> type) {
    return Arrays.stream(type.getFields()).collect(toMap(Field::getName, SharedValuesTest::value));
  }

  private static int value(Field constant) {
    try {
      return constant.getInt(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void rightsShouldBeTheSameBits() {
    Map<String, Integer> rights =
        Stream.of(Access.values()).collect(toMap(Access::name, Access::bit));

    assertThat(constants(AccessRights.class)).containsAllEntriesOf(rights);
    assertThat(AccessRights.ALL).isEqualTo(Access.bits(Access.values()));
    assertThat(Access.areRemote(AccessRights.REMOTE)).isTrue();
  }

  @Test
  void statusesShouldBeTheSameNumbers() {
    Map<String, Integer> statuses =
        Stream.of(CompletionStatus.values())
            .collect(toMap(CompletionStatus::name, CompletionStatus::code));

    assertThat(statuses).containsAllEntriesOf(constants(RdmapCompletionStatus.class));
  }

  @Test
  void flagsShouldBeTheSameBits() {
    assertThat(constants(SendFlags.class)).containsAllEntriesOf(constants(RdmapFlags.class));
  }

  @Test
  void messagesShouldHaveAsManyPieces() {
    assertThat(AddressPieces.MOST).isEqualTo(StagPieces.MOST);
  }

  @Test
  void ipv6AddressesShouldHaveTheSameText() throws UnknownHostException {
    Random random = new Random(5952);
    for (int i = 0; i < 10_000; i++) {
      ByteBuffer octets = ByteBuffer.allocate(16).putShort((short) 0x2001);
      while (octets.hasRemaining()) {
        octets.putShort((short) (random.nextInt() & ((1 << (4 * random.nextInt(5))) - 1)));
      }

      assertThat(AddressText.of(InetAddress.getByAddress(octets.array())))
          .isEqualTo(new Ipv6Address(octets.getLong(0), octets.getLong(8)).toString());
    }
  }
}
