package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.group.StackGroup;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.ip.esp.Lifetime;
import org.rddp.snapshot.DamagedSnapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.wire.Esp;
import org.rddp.wire.Memory;

/** The security associations of an interface go on in another database. */
class AssociationSnapshotTest {
  private static final HostAddress HERE = HostAddress.parse("10.0.0.1");
  private static final HostAddress THERE = HostAddress.parse("10.0.0.2");
  private static final SecurityPolicy POLICY = new SecurityPolicy(List.of(), PolicyAction.REQUIRE);
  private static final int IN = 0x1001;
  private static final int OUT = 0x1002;
  private static final int STACKS = 2;
  private static final int LENGTH = 64;
  private static final long TURNED = 1L << 32;

  private final SplittableRandom random = new SplittableRandom(1);
  private final List<EspCipher> open = new ArrayList<>();
  private final long payload = Memory.allocate(LENGTH);
  private final long sealed = Memory.allocate(256);

  /** An interface with its stacks' views. */
  private final class Interface {
    final UsedKeys usedKeys = new UsedKeys(new byte[] {(byte) random.nextInt()});
    final AssociationDatabase database =
        new AssociationDatabase(
            List.of(HERE), AssociationSnapshotTest.this::cipher, usedKeys, STACKS);
    final List<IpSecurity> stacks = new ArrayList<>();

    void begin(SecurityPolicy policy) {
      for (int i = 0; i < STACKS; i++) {
        stacks.add(new IpSecurity(policy, database, i));
      }
    }

    OutboundAssociation sender(int stack) {
      stacks.get(stack).refresh();
      return stacks.get(stack).outbound(OUT, THERE);
    }

    InboundAssociation receiver(int stack) {
      stacks.get(stack).refresh();
      return stacks.get(stack).inbound(IN);
    }

    byte[] write(long ahead) {
      SnapshotWriter writer = new SnapshotWriter();
      usedKeys.transfer(writer);
      database.write(writer, ahead);
      stacks.forEach(each -> each.transfer(writer));
      return writer.finish();
    }

    void read(byte[] snapshot, SecurityPolicy policy) {
      SnapshotReader reader = new SnapshotReader(snapshot);
      usedKeys.transfer(reader);
      database.read(reader);
      begin(policy);
      stacks.forEach(each -> each.transfer(reader));
      reader.finish();
    }

    void retire() {
      stacks.forEach(IpSecurity::retire);
      database.retire();
    }
  }

  private EspCipher cipher(EspSuite suite, boolean esn, byte[] keys) {
    EspCipher cipher = new JceCiphers().cipher(suite, esn, keys);
    EspCipher counted =
        new EspCipher() {
          @Override
          public void seal(long from, int length, int next, int spi, long sequence, long to) {
            cipher.seal(from, length, next, spi, sequence, to);
          }

          @Override
          public int open(long at, int length, long sequence) {
            return cipher.open(at, length, sequence);
          }

          @Override
          public void close() {
            open.remove(this);
            cipher.close();
          }
        };
    open.add(counted);
    return counted;
  }

  private static AssociationSettings settings(int spi, EspSuite suite, Lifetime lifetime) {
    boolean in = spi == IN;
    return new AssociationSettings(
        spi,
        in ? THERE : HERE,
        in ? HERE : THERE,
        false,
        suite,
        true,
        1024,
        TrafficSelector.of(THERE),
        lifetime);
  }

  private byte[] keys(EspSuite suite) {
    byte[] keys = new byte[suite.keyOctets()];
    random.nextBytes(keys);
    return keys;
  }

  /** An interface with an association in each direction. */
  private Interface associated(EspSuite suite, byte[] in, byte[] out, long used) {
    Interface one = new Interface();
    one.begin(POLICY);
    one.database.add(settings(IN, suite, Lifetime.UNLIMITED), in, used, 5);
    one.database.add(settings(OUT, suite, new Lifetime(200, 300, 7, 8)), out, used, 6);
    return one;
  }

  private Interface associated() {
    EspSuite suite = EspSuite.AES128_GCM16;
    return associated(suite, keys(suite), keys(suite), 0);
  }

  private Interface successor(Interface former, long ahead) {
    Interface next = new Interface();
    next.read(former.write(ahead), POLICY);
    return next;
  }

  /** Seals a packet; returns the low half of its number, or -1 if there is none. */
  private int seal(OutboundAssociation association) {
    return association.seal(payload, LENGTH, 6, sealed) ? Esp.sequence(sealed) : -1;
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("RFC 4303 3.3.3: numbers that the writer may still use are the successor's never")
  void shouldGoOnBehindWhatTheWriterMaySend(EspSuite suite) {
    Interface former = associated(suite, keys(suite), keys(suite), TURNED - 3);
    assertThat(seal(former.sender(0))).isEqualTo(-2);
    assertThat(seal(former.sender(1))).isEqualTo(-1);
    Interface next = successor(former, 3);
    assertThat(seal(next.sender(1))).isEqualTo(3);
    assertThat(seal(former.sender(0))).isEqualTo(0);
    assertThat(seal(former.sender(1))).isEqualTo(1);
    assertThat(seal(next.sender(0))).isEqualTo(4);
    assertThat(seal(former.sender(0))).isEqualTo(2);
    assertThat(seal(former.sender(0))).as("the first of the successor's").isEqualTo(-1);
    OutboundAssociation sender = next.sender(0);
    assertThat(sender.sequence()).isEqualTo(TURNED + 4);
    assertThat(sender.packets()).as("without those that were left out").isEqualTo(4);
    assertThat(sender.octets()).isEqualTo(4 * LENGTH);
    assertThat(sender.age(10)).isEqualTo(4);
    assertThat(sender.settings()).isEqualTo(former.sender(0).settings());
    assertThat(sender.order).isEqualTo(former.sender(0).order);
  }

  @Test
  void shouldGoOnWithTheNextNumberIfAllStandStill() {
    Interface former = associated();
    seal(former.sender(0));
    Interface next = successor(former, 0);
    assertThat(seal(former.sender(0))).isEqualTo(-1);
    assertThat(seal(next.sender(0))).isEqualTo(2);
  }

  @Test
  void shouldSendNothingWhenTheNumbersEndBeforeTheSuccessors() {
    Interface former = associated();
    byte[] keys = keys(EspSuite.AES128_GCM16);
    AssociationSettings longer = settings(OUT, EspSuite.AES128_GCM16, Lifetime.UNLIMITED);
    former.stacks.getFirst().delete(OUT, THERE);
    former.database.add(longer, keys, -3, 0);
    Interface next = successor(former, AssociationDatabase.AHEAD);
    assertThat(next.sender(0).isOver(0)).isTrue();
    assertThat(seal(next.sender(0))).isEqualTo(-1);
    assertThat(seal(former.sender(0))).isEqualTo(-2);
    assertThat(seal(former.sender(0))).isEqualTo(-1);
  }

  /** An association may end in the last turn of one stack, when the others stand still. */
  @Test
  void shouldGoOnWithoutWhatAnotherStackHasDeleted() {
    Interface former = associated();
    assertThat(former.receiver(0).own(0)).isTrue();
    seal(former.sender(0));
    assertThat(former.stacks.get(1).delete(IN, HERE)).isTrue();
    assertThat(former.stacks.get(1).delete(OUT, THERE)).isTrue();
    Interface next = successor(former, 0);
    assertThat(next.receiver(0)).isNull();
    assertThat(next.sender(0)).isNull();
  }

  @Test
  void shouldResumeWhenNobodyGoesOn() {
    Interface former = associated();
    former.write(1);
    assertThatThrownBy(() -> former.write(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> former.stacks.getFirst().delete(OUT, THERE))
        .hasMessage("another engine takes the associations over");
    byte[] keys = keys(EspSuite.NULL_SHA1);
    AssociationSettings more = settings(0x2000, EspSuite.NULL_SHA1, Lifetime.UNLIMITED);
    assertThatThrownBy(() -> former.database.add(more, keys, 0, 0))
        .hasMessage("another engine takes the associations over");
    assertThat(seal(former.sender(0))).isEqualTo(1);
    assertThat(seal(former.sender(0))).isEqualTo(-1);
    former.database.resume();
    assertThat(seal(former.sender(0))).isEqualTo(2);
    former.database.add(more, keys, 0, 0);
    assertThat(former.stacks.getFirst().delete(OUT, THERE)).isTrue();
  }

  @Test
  @DisplayName("RFC 4303 3.4.3: what has come before is refused by the successor")
  void shouldKeepTheWindow() {
    EspSuite suite = EspSuite.AES128_GCM16;
    byte[] keys = keys(suite);
    Interface former = associated(suite, keys, keys(suite), 0);
    EspCipher peer = new JceCiphers().cipher(suite, true, keys);
    long[] packets = new long[4];
    for (int i = 0; i < packets.length; i++) {
      packets[i] = Memory.allocate(256);
      peer.seal(payload, LENGTH, 6, IN, i + 1, packets[i]);
    }
    int octets = suite.sealedLength(LENGTH);
    byte[] first = Memory.bytes(packets[0], octets);
    assertThat(former.receiver(1).own(1)).isTrue();
    assertThat(former.receiver(1).open(packets[0], octets)).isPositive();
    assertThat(former.receiver(1).open(packets[2], octets)).isPositive();
    Interface next = successor(former, 1);
    InboundAssociation receiver = next.receiver(0);
    assertThat(receiver.owner()).isEqualTo(1);
    assertThat(receiver.own(0)).isFalse();
    assertThat(receiver.packets()).isEqualTo(2);
    assertThat(receiver.octets()).isEqualTo(former.receiver(0).octets());
    assertThat(receiver.sequence()).isEqualTo(3);
    Memory.copy(first, 0, packets[0], octets);
    assertThat(receiver.open(packets[0], octets)).isEqualTo(InboundAssociation.REPLAYED);
    assertThat(receiver.open(packets[1], octets)).isPositive();
    assertThat(receiver.open(packets[3], octets)).isPositive();
  }

  @Test
  void shouldLeaveAnAssociationWithoutPacketsToAnyStack() {
    EspSuite suite = EspSuite.AES256_SHA256;
    Interface next = successor(associated(suite, keys(suite), keys(suite), 77), 1);
    assertThat(next.receiver(0).owner()).isEqualTo(InboundAssociation.NOBODY);
    assertThat(next.receiver(0).sequence()).isEqualTo(77);
  }

  @Test
  void shouldForgetItsKeysWhenAnotherHasThem() {
    Interface former = associated();
    assertThat(former.receiver(1).own(1)).isTrue();
    former.sender(0);
    List<EspCipher> formers = List.copyOf(open);
    List<Association> associations = former.stacks.getFirst().associations();
    assertThat(formers).hasSize(1 + STACKS);
    Interface next = successor(former, 1);
    former.retire();
    assertThat(open).hasSize(1 + STACKS).doesNotContainAnyElementsOf(formers);
    assertThat(associations).allSatisfy(each -> assertThat(isWiped(each)).isTrue());
    assertThat(next.stacks.getFirst().associations())
        .allSatisfy(each -> assertThat(isWiped(each)).isFalse());
    assertThat(former.stacks.getFirst().associations()).isEmpty();
  }

  private static boolean isWiped(Association association) {
    MemorySegment keys = association.keys.octets;
    return keys.mismatch(MemorySegment.ofArray(new byte[(int) keys.byteSize()])) < 0;
  }

  @Test
  void shouldForgetTheKeysOfADeletedAssociation() {
    Interface one = associated();
    List<Association> associations = one.stacks.getFirst().associations();
    assertThat(one.stacks.getFirst().delete(OUT, THERE)).isTrue();
    assertThat(one.stacks.getFirst().delete(IN, HERE)).isTrue();
    one.stacks.getLast().refresh();
    assertThat(associations).allSatisfy(each -> assertThat(isWiped(each)).isTrue());
    assertThat(open).isEmpty();
  }

  @Test
  @DisplayName("RFC 4106 2: keys that were used before remain so for the successor")
  void shouldRefuseKeysThatWereUsedBefore() {
    EspSuite suite = EspSuite.AES128_GCM16;
    byte[] in = keys(suite);
    byte[] out = keys(suite);
    Interface former = associated(suite, in, out, 0);
    assertThat(former.stacks.getFirst().delete(OUT, THERE)).isTrue();
    Interface next = successor(former, 1);
    for (byte[] keys : List.of(in, out)) {
      AssociationSettings other = settings(0x2000, suite, Lifetime.UNLIMITED);
      assertThatThrownBy(() -> next.database.add(other, keys, 0, 0))
          .hasMessageContaining("these keys were used before");
    }
  }

  @Test
  void shouldRefuseAnotherPolicy() {
    byte[] snapshot = associated().write(0);
    SecurityPolicy clear = new SecurityPolicy(List.of(), PolicyAction.BYPASS);
    SecurityPolicy.Rule rule =
        new SecurityPolicy.Rule(TrafficSelector.of(THERE), PolicyAction.BYPASS);
    SecurityPolicy more = new SecurityPolicy(List.of(rule), PolicyAction.REQUIRE);
    for (SecurityPolicy other : List.of(clear, more)) {
      assertThatThrownBy(() -> new Interface().read(snapshot, other))
          .isInstanceOf(SnapshotException.class)
          .hasMessageContaining("the security policy has changed");
    }
  }

  @Test
  void shouldRefuseAStackWithoutAPolicy() {
    InterfaceAddress address = new InterfaceAddress((Ipv4Address) HERE, 24);
    NativePacketPool pool = new NativePacketPool(16, 2048);
    LoopedDevice device = LoopedDevice.pair(pool, pool, 1500, 16)[0];
    List<IpLayer> layers = new ArrayList<>();
    for (IpSecurity each : Arrays.asList(associated().stacks.getFirst(), null)) {
      TransportHandler transport = new PathListener(new ArrayList<>());
      layers.add(new IpLayer(device, address, StackGroup.alone(), transport, random, each));
    }
    refuse(layers.getFirst(), layers.getLast(), "had a security policy and has it no longer");
    refuse(layers.getLast(), layers.getFirst(), "had no security policy and has one now");
  }

  private static void refuse(IpLayer former, IpLayer next, String reason) {
    SnapshotWriter writer = new SnapshotWriter();
    former.transfer(writer);
    SnapshotReader reader = new SnapshotReader(writer.finish());
    assertThatThrownBy(() -> next.transfer(reader))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void shouldRefuseAnotherAddress() {
    Interface next = new Interface();
    AssociationDatabase other =
        new AssociationDatabase(List.of(THERE), this::cipher, next.usedKeys, 1);
    SnapshotWriter writer = new SnapshotWriter();
    associated().database.write(writer, 0);
    SnapshotReader reader = new SnapshotReader(writer.finish());
    assertThatThrownBy(() -> other.read(reader)).isInstanceOf(SnapshotException.class);
  }

  @Test
  void shouldRefuseOrReadWhatIsDamaged() {
    Interface former = associated();
    assertThat(former.receiver(1).own(1)).isTrue();
    byte[] snapshot = former.write(1);
    former.retire();
    int refused = 0;
    for (int at = DamagedSnapshot.BODY; at < snapshot.length; at++) {
      byte[] damaged = DamagedSnapshot.at(snapshot, at);
      Interface next = new Interface();
      try {
        next.read(damaged, POLICY);
      } catch (SnapshotException wrong) {
        assertThat(wrong).hasMessageContaining("the snapshot is wrong at octet");
        refused++;
      }
      next.retire();
      assertThat(open).as("ciphers left after octet %d", at).isEmpty();
    }
    assertThat(refused).isGreaterThan(snapshot.length / 4);
  }
}
