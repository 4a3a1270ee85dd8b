package org.rddp.ipc.control;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.PrivateData;
import org.rddp.ipc.linux.Descriptor;

/**
 * The octets and descriptors of a control message while it is written or read. Numbers are in
 * network order; a length (2) precedes texts and private data.
 */
final class MessageBuffer {
  /** Length of the longest message. */
  static final int MAX_OCTETS = 4096;

  /** Largest number of descriptors in a message. */
  static final int MAX_DESCRIPTORS = 2;

  /** Octets before the first field. */
  static final int HEADER = 12;

  private static final int MAX_TEXT = 1024;

  /** Octets of the longest text of a {@link LongText} field. */
  static final int MAX_LONG_TEXT = 3840;

  private final ByteBuffer octets;
  private final List<Descriptor> descriptors = new ArrayList<>(MAX_DESCRIPTORS);
  private int taken;

  private MessageBuffer(ByteBuffer octets) {
    this.octets = octets;
  }

  /** An empty buffer for writing. */
  static MessageBuffer forWriting() {
    return new MessageBuffer(ByteBuffer.allocate(MAX_OCTETS));
  }

  /** A received message for reading. */
  static MessageBuffer forReading(byte[] octets, int length, List<Descriptor> descriptors) {
    MessageBuffer buffer = new MessageBuffer(ByteBuffer.wrap(octets, 0, length));
    buffer.descriptors.addAll(descriptors);
    return buffer;
  }

  void putByte(int value) {
    octets.put((byte) value);
  }

  void putShort(int value) {
    octets.putShort((short) value);
  }

  void putInt(int value) {
    octets.putInt(value);
  }

  void putInt(int at, int value) {
    octets.putInt(at, value);
  }

  void putLong(long value) {
    octets.putLong(value);
  }

  void putPrivateData(PrivateData data) {
    putShort(data.length());
    octets.put(data.toByteArray());
  }

  void putOctets(byte[] bytes) {
    octets.put(bytes);
  }

  /** Reads so many octets. */
  byte[] getOctets(int length) throws ControlProtocolException {
    require(length);
    byte[] bytes = new byte[length];
    octets.get(bytes);
    return bytes;
  }

  void putSecret(SecretOctets secret) {
    putShort(secret.octets().length);
    octets.put(secret.octets());
  }

  /** Reads keys, and overwrites them in the message. */
  SecretOctets getSecret() throws ControlProtocolException {
    int at = octets.position() + Short.BYTES;
    byte[] read = getBytes(SecretOctets.MOST);
    octets.put(at, new byte[read.length]);
    return new SecretOctets(read);
  }

  void putDatagram(KeyDatagram datagram) {
    putShort(datagram.octets().length);
    octets.put(datagram.octets());
  }

  KeyDatagram getDatagram() throws ControlProtocolException {
    return new KeyDatagram(getBytes(KeyDatagram.MOST));
  }

  /** Writes a text, truncated to 1024 octets of UTF-8. */
  void putText(String text) {
    putText(text, MAX_TEXT);
  }

  /** Writes a text, truncated to {@link #MAX_LONG_TEXT} octets of UTF-8. */
  void putLongText(String text) {
    putText(text, MAX_LONG_TEXT);
  }

  private void putText(String text, int most) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, most);
    while (length < bytes.length && length > 0 && (bytes[length] & 0xc0) == 0x80) {
      length--;
    }
    putShort(length);
    octets.put(bytes, 0, length);
  }

  /** Adds a descriptor, which the caller still owns. */
  void putDescriptor(Descriptor descriptor) {
    if (descriptors.size() == MAX_DESCRIPTORS) {
      throw new BufferOverflowException();
    }
    descriptors.add(descriptor);
  }

  /** Adds a descriptor; null: a mark that there is none. */
  void putOptionalDescriptor(Descriptor descriptor) {
    putBoolean(descriptor != null);
    if (descriptor != null) {
      putDescriptor(descriptor);
    }
  }

  void putBoolean(boolean value) {
    putByte(value ? 1 : 0);
  }

  boolean getBoolean() throws ControlProtocolException {
    int value = getByte();
    if (value > 1) {
      throw new ControlProtocolException("a boolean field has the value " + value);
    }
    return value == 1;
  }

  /** The version in a Hello, its first field. */
  int helloVersion() {
    return octets.getInt(HEADER);
  }

  /** Leaves out the rest of the octets. */
  void skipOctets() {
    octets.position(octets.limit());
  }

  int getByte() throws ControlProtocolException {
    require(1);
    return octets.get() & 0xff;
  }

  int getShort() throws ControlProtocolException {
    require(2);
    return octets.getShort() & 0xffff;
  }

  int getInt() throws ControlProtocolException {
    require(4);
    return octets.getInt();
  }

  long getLong() throws ControlProtocolException {
    require(8);
    return octets.getLong();
  }

  PrivateData getPrivateData() throws ControlProtocolException {
    return PrivateData.of(getBytes(PrivateData.MAX_OCTETS));
  }

  String getText() throws ControlProtocolException {
    return getText(MAX_TEXT);
  }

  String getLongText() throws ControlProtocolException {
    return getText(MAX_LONG_TEXT);
  }

  private String getText(int most) throws ControlProtocolException {
    byte[] bytes = getBytes(most);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new ControlProtocolException("a text is not UTF-8");
    }
  }

  private byte[] getBytes(int most) throws ControlProtocolException {
    int length = getShort();
    if (length > most) {
      throw new ControlProtocolException("a field of " + length + " octets, at most " + most);
    }
    return getOctets(length);
  }

  /** Removes the next descriptor; the caller owns it. */
  Descriptor getDescriptor() throws ControlProtocolException {
    if (taken == descriptors.size()) {
      throw new ControlProtocolException("a descriptor is missing");
    }
    return descriptors.get(taken++);
  }

  /** Removes the next descriptor; null if the message marks it as absent. */
  Descriptor getOptionalDescriptor() throws ControlProtocolException {
    return getBoolean() ? getDescriptor() : null;
  }

  private void require(int more) throws ControlProtocolException {
    if (octets.remaining() < more) {
      throw new ControlProtocolException("a message is too short");
    }
  }

  /** Throws if octets or descriptors are left over. */
  void requireEnd() throws ControlProtocolException {
    if (octets.hasRemaining() || taken < descriptors.size()) {
      throw new ControlProtocolException(
          "a message has octets or descriptors after its last field");
    }
  }

  /** Overwrites the octets, which may hold keys. */
  void wipe() {
    octets.put(0, new byte[octets.limit()]);
  }

  /** Closes all descriptors of a message that is refused. */
  void closeDescriptors() {
    descriptors.forEach(Descriptor::close);
  }

  /** Octets written or still to be read. */
  int position() {
    return octets.position();
  }

  /** Octets left to be read. */
  int remaining() {
    return octets.remaining();
  }

  /** The octets written. */
  byte[] toByteArray() {
    byte[] written = new byte[octets.position()];
    octets.get(0, written);
    return written;
  }

  List<Descriptor> descriptors() {
    return descriptors;
  }
}
