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
 * A control message as octets and descriptors, being written or being read. Numbers are in network
 * order; texts and private data are preceded by their length (2).
 */
public final class MessageBuffer {
  /** The longest message. */
  static final int MAX_OCTETS = 4096;

  /** The most descriptors of a message. */
  static final int MAX_DESCRIPTORS = 2;

  private static final int MAX_TEXT = 1024;

  private final ByteBuffer octets;
  private final List<Descriptor> descriptors = new ArrayList<>(MAX_DESCRIPTORS);
  private int taken;

  private MessageBuffer(ByteBuffer octets) {
    this.octets = octets;
  }

  /** An empty one, to be written. */
  static MessageBuffer forWriting() {
    return new MessageBuffer(ByteBuffer.allocate(MAX_OCTETS));
  }

  /** What came, to be read. */
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

  public void putInt(int value) {
    octets.putInt(value);
  }

  void putInt(int at, int value) {
    octets.putInt(at, value);
  }

  public void putLong(long value) {
    octets.putLong(value);
  }

  void putPrivateData(PrivateData data) {
    putShort(data.length());
    octets.put(data.toByteArray());
  }

  /** Writes a text, cut to what a message may carry. */
  void putText(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, MAX_TEXT);
    while (length < bytes.length && length > 0 && (bytes[length] & 0xc0) == 0x80) {
      length--;
    }
    putShort(length);
    octets.put(bytes, 0, length);
  }

  /** Passes a descriptor; it stays the caller's. */
  void putDescriptor(Descriptor descriptor) {
    if (descriptors.size() == MAX_DESCRIPTORS) {
      throw new BufferOverflowException();
    }
    descriptors.add(descriptor);
  }

  /** Passes a descriptor, or says that there is none. */
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
      throw new ControlProtocolException("a truth value of " + value);
    }
    return value == 1;
  }

  int getByte() throws ControlProtocolException {
    require(1);
    return octets.get() & 0xff;
  }

  int getShort() throws ControlProtocolException {
    require(2);
    return octets.getShort() & 0xffff;
  }

  public int getInt() throws ControlProtocolException {
    require(4);
    return octets.getInt();
  }

  public long getLong() throws ControlProtocolException {
    require(8);
    return octets.getLong();
  }

  PrivateData getPrivateData() throws ControlProtocolException {
    return PrivateData.of(getBytes(PrivateData.MAX_OCTETS));
  }

  String getText() throws ControlProtocolException {
    byte[] bytes = getBytes(MAX_TEXT);
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
    require(length);
    byte[] bytes = new byte[length];
    octets.get(bytes);
    return bytes;
  }

  /** Takes over the next descriptor. */
  Descriptor getDescriptor() throws ControlProtocolException {
    if (taken == descriptors.size()) {
      throw new ControlProtocolException("a descriptor is missing");
    }
    return descriptors.get(taken++);
  }

  /** Takes over the next descriptor; null when the message says that there is none. */
  Descriptor getOptionalDescriptor() throws ControlProtocolException {
    return getBoolean() ? getDescriptor() : null;
  }

  private void require(int more) throws ControlProtocolException {
    if (octets.remaining() < more) {
      throw new ControlProtocolException("a message is too short");
    }
  }

  /** Refuses what is left over. */
  void requireEnd() throws ControlProtocolException {
    if (octets.hasRemaining() || taken < descriptors.size()) {
      throw new ControlProtocolException("a message carries more than belongs to it");
    }
  }

  /** Closes all descriptors: for a message that is refused. */
  void closeDescriptors() {
    descriptors.forEach(Descriptor::close);
  }

  /** Octets written or still to be read. */
  int position() {
    return octets.position();
  }

  /** Octets to be read. */
  int remaining() {
    return octets.remaining();
  }

  /** What was written. */
  byte[] toByteArray() {
    byte[] written = new byte[octets.position()];
    octets.get(0, written);
    return written;
  }

  List<Descriptor> descriptors() {
    return descriptors;
  }
}
