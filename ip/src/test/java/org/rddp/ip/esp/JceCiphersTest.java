package org.rddp.ip.esp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.SplittableRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.wire.Esp;
import org.rddp.wire.Memory;

/**
 * The vectors of the algorithms' documents, and properties that every suite has, those without
 * encryption (RFC 2410) included.
 */
class JceCiphersTest {
  private static final int SPI = 0x4321;

  private final long packet = Memory.allocate(4096);
  private final long plain = Memory.allocate(4096);
  private final JceCiphers ciphers = new JceCiphers();

  /** The packets of draft-mcgrew-gcm-test-01 section 4, to which RFC 4106 refers for tests. */
  @ParameterizedTest(name = "{0}, ESN {1}")
  @CsvSource({
    "AES128_GCM16, true, 4c80cdefbb5d10da906ac73c3613a634 2e443b68,"
        + "00004321 00000000 4956ed7e3b244cfe, 8765432100000000,"
        + "fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34"
        + "cfa2436f14a3f3cf65925bf1f4a13c5d15b21e1884f5ff6247aeabb786b93bce"
        + "61bc17d768fd9732 459018148f6cbe722fd04796562dfdb4,"
        + "45000048699a000080114db7c0a80102c0a801010a9bf15638d3010000010000"
        + "00000000045f736970045f756470037369700963796265726369747902646b00"
        + "0021000101020201",
    "AES256_GCM16, false, abbccddef00112233445566778899aababbccddef00112233445566778899aab"
        + "11223344, 4a2cbfe3 00000002 0102030405060708, 0000000000000002,"
        + "ff425c9b724599df7a3bcd510194e00d6a78107f1b0b1cbf06efae9d65a5d763"
        + "748a637985771d347f0545659f14e99def842d8e b335f4eecfdbf831824b4c4915956c96,"
        + "4500003069a6400080062690c0a801029389155e0a9e008b2dc57ee000000000"
        + "7002400020bf0000020405b40101040201020201"
  })
  @DisplayName("RFC 4106: packets sealed by others are opened, and spoilt ones are not")
  void shouldOpenPacketsOfGcm(
      EspSuite suite,
      boolean esn,
      String keys,
      String head,
      String number,
      String body,
      String to) {
    long sequence = Long.parseUnsignedLong(number, 16);
    EspCipher cipher = ciphers.cipher(suite, esn, octets(keys));
    byte[] whole = octets(head + body);
    Memory.copy(whole, 0, packet, whole.length);
    byte[] opened = octets(to);
    assertThat(cipher.open(packet, whole.length, sequence)).isEqualTo(opened.length);
    assertThat(Memory.bytes(packet + suite.header(), opened.length)).isEqualTo(opened);
    assertThat(Esp.payloadLength(packet + suite.header(), opened.length))
        .isEqualTo(opened.length - 4);
    for (int i = 0; i < whole.length; i++) {
      if (i >= 4 && i < Esp.HEADER) {
        // Low half of the number, which the caller has taken from there.
        continue;
      }
      Memory.copy(whole, 0, packet, whole.length);
      Memory.putByte(packet + i, whole[i] ^ 1);
      assertThat(cipher.open(packet, whole.length, sequence)).as("octet %d", i).isEqualTo(-1);
    }
    Memory.copy(whole, 0, packet, whole.length);
    long other = esn ? sequence ^ 1L << 32 : sequence + 1;
    assertThat(cipher.open(packet, whole.length, other)).isEqualTo(-1);
  }

  /** Cases 5 to 8, which have no ICV. */
  @ParameterizedTest(name = "case {0}")
  @CsvSource({
    "5, 90d382b410eeba7ad938c46cec1a82bf, 1,"
        + "0000432100000001e96e8c08ab465763fd098d45dd3ff893f663c25d325c18c6a9453e194e120849"
        + "a4870b66cc6b9965330013b4898dc856a4699e523a55db080b59ec3a8e4b7e52775b07d1db34ed9c"
        + "538ab50c551b874aa269add047ad2d5913ac19b7cfbad4a6,"
        + "08000ebda70a00008e9c083db95b070008090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        + "202122232425262728292a2b2c2d2e2f3031323334353637, 1",
    "6, 90d382b410eeba7ad938c46cec1a82bf, 8,"
        + "000043210000000869d08df7d203329db093fc4924e5bd80f51995881ec4e0c4488987ce742e8109"
        + "689bb379d2d750c0d915dca346a89f75,"
        + "0800b5e8a80a0500a69c083d0b660e00777777777777777777777777, 1",
    "7, 0123456789abcdef0123456789abcdef, 2,"
        + "0000876500000002f4e765244f6407adf13dc1380f673f37773b5241a4c449225e4f3ce5ed611b0c"
        + "237ca96cf74a93013c1b0ea1a0cf70f8e4ecaec78ac53aad7a0f022b859243c647752e94a859352b"
        + "8a4d4d2decd136e5c177f132ad3fbfb2201ac9904c74ee0a109e0ca1e4dfe9d5a100b842f1c22f0d,"
        + "45000054090400004001f988c0a87b03c0a87bc808009f76a90a0100b49c083d02a2040008090a0b"
        + "0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f30313233"
        + "34353637, 4",
    "8, 0123456789abcdef0123456789abcdef, 5,"
        + "000087650000000585d47224b5f3dd5d2101d4ea8dffab2215b92683819596a8047232cc00f7048f"
        + "e45318e11f8a0f62ede3c3fc61203bb50f980a08c9843fd3a1b06d5c07ff9639b7eb7dfb3512e5de"
        + "435e7207ed971ef3d2726d9b5ef6affc6d17a0decbb13892,"
        + "45000044090c00004001f990c0a87b03c0a87bc80800d63caa0a0200c69c083da3de0300ffffffff"
        + "ffffffffffffffffffffffffffffffffffffffffffffffffffffffff, 4"
  })
  @DisplayName("RFC 3602 section 4: packets encrypted by others are opened")
  void shouldOpenPacketsOfCbc(
      int number, String key, long sequence, String body, String payload, int next)
      throws Exception {
    byte[] integrityKey = new byte[20];
    byte[] whole = octets(body);
    Mac mac = Mac.getInstance("HmacSHA1");
    mac.init(new SecretKeySpec(integrityKey, "HmacSHA1"));
    byte[] icv = mac.doFinal(whole);
    Memory.copy(whole, 0, packet, whole.length);
    Memory.copy(icv, 0, packet + whole.length, 12);
    byte[] keys = octets(key + HexFormat.of().formatHex(integrityKey));
    EspCipher cipher = ciphers.cipher(EspSuite.AES128_SHA1, false, keys);
    int plainOctets = cipher.open(packet, whole.length + 12, sequence);
    long at = packet + EspSuite.AES128_SHA1.header();
    assertThat(plainOctets).isEqualTo(whole.length - EspSuite.AES128_SHA1.header());
    byte[] expected = octets(payload);
    assertThat(Esp.payloadLength(at, plainOctets)).isEqualTo(expected.length);
    assertThat(Memory.bytes(at, expected.length)).isEqualTo(expected);
    assertThat(Esp.next(at, plainOctets)).isEqualTo(next);
  }

  @ParameterizedTest
  @CsvSource({
    "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, 4869205468657265, b617318655057264e28bc0b6",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,"
        + "dddddddddddddddddddddddddddddddddddddddddddddddddd"
        + "dddddddddddddddddddddddddddddddddddddddddddddddddd, 125d7342b9ac11cd91a39af4",
    "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c, 546573742057697468205472756e636174696f6e,"
        + "4c1a03424b55e07fe7f27be1"
  })
  @DisplayName("RFC 2404, cases 1, 3 and 5 of RFC 2202, whose keys have 20 octets: HMAC-SHA-1-96")
  void shouldComputeHmacSha1(String key, String data, String expected) {
    assertThat(icv(key, data, 12)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, 4869205468657265,"
        + "198a607eb44bfbc69903a0f1cf2bbdc5",
    "4a6566654a6566654a6566654a6566654a6566654a6566654a6566654a656665,"
        + "7768617420646f2079612077616e7420666f72206e6f7468696e673f,"
        + "167f928588c5cc2eef8e3093caa0e87c",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,"
        + "dddddddddddddddddddddddddddddddddddddddddddddddddd"
        + "dddddddddddddddddddddddddddddddddddddddddddddddddd, cdcb1220d1ecccea91e53aba3092f962",
    "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20,"
        + "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
        + "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd, 372efcf9b40b35c2115b1346903d2ef4"
  })
  @DisplayName("RFC 4868 section 2.7.2.1, cases AUTH256-1 to 4: HMAC-SHA-256-128")
  void shouldComputeHmacSha256(String key, String data, String expected) {
    assertThat(icv(key, data, 16)).isEqualTo(expected);
  }

  private String icv(String key, String text, int octets) {
    byte[] data = octets(text);
    Memory.copy(data, 0, packet, data.length);
    EspIntegrity integrity = new EspIntegrity(octets(key), octets);
    integrity.write(packet, data.length, false, 1);
    assertThat(integrity.verifies(packet, data.length, false, 1)).isTrue();
    assertThat(integrity.verifies(packet, data.length, true, 1)).isFalse();
    return HexFormat.of().formatHex(Memory.bytes(packet + data.length, octets));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("what is sealed is opened, and nothing else is")
  void shouldOpenWhatItSealed(EspSuite suite) {
    SplittableRandom random = new SplittableRandom(suite.keyOctets());
    byte[] keys = new byte[suite.keyOctets()];
    random.nextBytes(keys);
    for (boolean esn : new boolean[] {false, true}) {
      EspCipher here = ciphers.cipher(suite, esn, keys);
      EspCipher there = ciphers.cipher(suite, esn, keys);
      for (int length = 0; length < 70; length++) {
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        Memory.copy(payload, 0, plain, length);
        long sequence = (esn ? 5L << 32 : 0) + length + 1;
        here.seal(plain, length, 6, SPI, sequence, packet);
        assertThat(Memory.bytes(plain, length)).as("is not written").isEqualTo(payload);
        int sealed = suite.sealedLength(length);
        byte[] whole = Memory.bytes(packet, sealed);
        assertThat(Esp.spi(packet)).isEqualTo(SPI);
        assertThat(Esp.sequence(packet)).isEqualTo((int) sequence);
        assertThat(sealed & 3).isZero();
        assertThat(suite.largestPayload(sealed)).isGreaterThanOrEqualTo(length);
        assertThat(suite.sealedLength(suite.largestPayload(sealed))).isLessThanOrEqualTo(sealed);
        int bit = random.nextInt(sealed * 8);
        Memory.putByte(packet + bit / 8, whole[bit / 8] ^ 1 << (bit & 7));
        boolean inNumber = bit / 8 >= 4 && bit / 8 < 8;
        assertThat(there.open(packet, sealed, inNumber ? sequence + 1 : sequence)).isEqualTo(-1);
        Memory.copy(whole, 0, packet, sealed);
        assertThat(there.open(packet, sealed - 4, sequence)).isEqualTo(-1);
        Memory.copy(whole, 0, packet, sealed);
        int opened = there.open(packet, sealed, sequence);
        assertThat(Esp.payloadLength(packet + suite.header(), opened)).isEqualTo(length);
        assertThat(Memory.bytes(packet + suite.header(), length)).isEqualTo(payload);
        assertThat(Esp.next(packet + suite.header(), opened)).isEqualTo(6);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("RFC 4303 section 2.2.1: the high half of the number is authenticated with ESN")
  void shouldAuthenticateTheHighHalf(EspSuite suite) {
    byte[] keys = new byte[suite.keyOctets()];
    keys[0] = 1;
    EspCipher cipher = ciphers.cipher(suite, true, keys);
    cipher.seal(plain, 32, 6, SPI, 1L << 32 | 7, packet);
    byte[] whole = Memory.bytes(packet, suite.sealedLength(32));
    assertThat(cipher.open(packet, whole.length, 7)).isEqualTo(-1);
    Memory.copy(whole, 0, packet, whole.length);
    assertThat(cipher.open(packet, whole.length, 1L << 32 | 7)).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("packets that cannot have come from the suite are refused before they are read")
  void shouldRefuseImpossibleLengths(EspSuite suite) {
    byte[] keys = new byte[suite.keyOctets()];
    keys[0] = 1;
    EspCipher cipher = ciphers.cipher(suite, false, keys);
    for (int length = Esp.HEADER; length < suite.sealedLength(0); length++) {
      assertThat(cipher.open(packet, length, 1)).isEqualTo(-1);
    }
  }

  @Test
  @DisplayName("RFC 4303 section 2.4: the padding must be 1, 2, 3 and so on")
  void shouldCheckPadding() {
    Memory.copy(octets("aabb 010203 03 06"), 0, packet, 7);
    assertThat(Esp.payloadLength(packet, 7)).isEqualTo(2);
    for (String wrong : new String[] {"aabb 010204 03 06", "aabb 010203 08 06", "00"}) {
      byte[] octets = octets(wrong);
      Memory.copy(octets, 0, packet, octets.length);
      assertThat(Esp.payloadLength(packet, octets.length)).as(wrong).isEqualTo(-1);
    }
  }

  @Test
  void shouldSayHowLongKeysAre() {
    assertThatThrownBy(() -> ciphers.cipher(EspSuite.AES128_GCM16, true, new byte[16]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("16 octets of keys; aes128gcm16 has 20");
  }

  private static byte[] octets(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }
}
