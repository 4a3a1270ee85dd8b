package org.rddp.ipc.control;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.SessionSizes;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.linux.Descriptor;

/** Writes and reads fields of one type in a {@link MessageBuffer}. */
record FieldCodec<T>(Writer<T> writer, Reader<T> reader) {
  private static final FieldCodec<Descriptor> OPTIONAL_DESCRIPTOR =
      new FieldCodec<>(MessageBuffer::putOptionalDescriptor, MessageBuffer::getOptionalDescriptor);

  private static final FieldCodec<String> LONG_TEXT =
      new FieldCodec<>(MessageBuffer::putLongText, MessageBuffer::getLongText);

  private static final FieldCodec<List<MemoryPiece>> PIECES =
      new FieldCodec<>(MemoryPiece::write, MemoryPiece::read);

  private static final FieldCodec<List<InterfaceEntry>> INTERFACES =
      new FieldCodec<>(InterfaceEntry::writeAll, InterfaceEntry::readAll);

  private static final Map<Class<?>, FieldCodec<?>> BY_TYPE =
      Map.ofEntries(
          entry(int.class, MessageBuffer::putInt, MessageBuffer::getInt),
          entry(long.class, MessageBuffer::putLong, MessageBuffer::getLong),
          entry(boolean.class, MessageBuffer::putBoolean, MessageBuffer::getBoolean),
          entry(String.class, MessageBuffer::putText, MessageBuffer::getText),
          entry(PrivateData.class, MessageBuffer::putPrivateData, MessageBuffer::getPrivateData),
          entry(Descriptor.class, MessageBuffer::putDescriptor, MessageBuffer::getDescriptor),
          entry(
              Reason.class,
              (buffer, reason) -> buffer.putInt(reason.code()),
              buffer -> Reason.of(buffer.getInt())),
          entry(SessionLimits.class, FieldCodec::writeLimits, FieldCodec::readLimits),
          entry(IpAddress.class, (buffer, address) -> address.write(buffer), IpAddress::read),
          entry(SessionSizes.class, FieldCodec::writeSizes, FieldCodec::readSizes),
          entry(StartupTerms.class, FieldCodec::writeTerms, FieldCodec::readTerms),
          entry(
              ConnectionSettings.class,
              (buffer, settings) -> settings.write(buffer),
              ConnectionSettings::read),
          entry(
              AcceptSettings.class,
              (buffer, settings) -> settings.write(buffer),
              AcceptSettings::read),
          entry(SecretOctets.class, MessageBuffer::putSecret, MessageBuffer::getSecret),
          entry(KeyDatagram.class, MessageBuffer::putDatagram, MessageBuffer::getDatagram),
          entry(
              SecurityAssociation.class, FieldCodec::writeAssociation, FieldCodec::readAssociation),
          entry(
              RegionSettings.class,
              (buffer, settings) -> settings.write(buffer),
              RegionSettings::read));

  private static <T> Map.Entry<Class<?>, FieldCodec<?>> entry(
      Class<T> type, Writer<T> writer, Reader<T> reader) {
    return Map.entry(type, new FieldCodec<>(writer, reader));
  }

  private static void writeLimits(MessageBuffer buffer, SessionLimits limits) {
    buffer.putInt(limits.completions());
    buffer.putInt(limits.sendQueue());
    buffer.putInt(limits.receiveQueue());
    buffer.putInt(limits.inlineOctets());
    buffer.putInt(limits.connections());
    buffer.putInt(limits.regions());
    buffer.putInt(limits.memories());
    buffer.putLong(limits.memoryOctets());
  }

  private static SessionLimits readLimits(MessageBuffer buffer) throws ControlProtocolException {
    return new SessionLimits(
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getLong());
  }

  private static void writeSizes(MessageBuffer buffer, SessionSizes sizes) {
    buffer.putInt(sizes.sendQueue());
    buffer.putInt(sizes.receiveQueue());
    buffer.putInt(sizes.requests());
    buffer.putInt(sizes.completions());
    buffer.putInt(sizes.regions());
    buffer.putInt(sizes.memories());
  }

  /**
   * Skips the field of another version, which has another form, so that its program gets an answer.
   */
  private static SessionSizes readSizes(MessageBuffer buffer) throws ControlProtocolException {
    if (!ControlMessage.isSupported(buffer.helloVersion())) {
      buffer.skipOctets();
      return SessionSizes.CONFIGURED;
    }
    try {
      return new SessionSizes(
          buffer.getInt(),
          buffer.getInt(),
          buffer.getInt(),
          buffer.getInt(),
          buffer.getInt(),
          buffer.getInt());
    } catch (IllegalArgumentException e) {
      throw new ControlProtocolException(e.getMessage());
    }
  }

  private static void writeTerms(MessageBuffer buffer, StartupTerms terms) {
    buffer.putInt(terms.revision());
    buffer.putBoolean(terms.peerToPeer());
    buffer.putInt(terms.peerIrd());
    buffer.putInt(terms.peerOrd());
    buffer.putInt(terms.ird());
    buffer.putInt(terms.ord());
    buffer.putBoolean(terms.sendWithImmediate());
  }

  private static StartupTerms readTerms(MessageBuffer buffer) throws ControlProtocolException {
    return new StartupTerms(
        buffer.getInt(),
        buffer.getBoolean(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getBoolean());
  }

  private static void writeAssociation(MessageBuffer buffer, SecurityAssociation association) {
    buffer.putInt(association.spi());
    buffer.putText(association.source());
    buffer.putText(association.destination());
    buffer.putBoolean(association.tunnel());
    buffer.putText(association.algorithms());
    buffer.putBoolean(association.esn());
    buffer.putInt(association.window());
    buffer.putText(association.remote());
    buffer.putBoolean(association.tcpOnly());
    buffer.putInt(association.localPort());
    buffer.putInt(association.remotePort());
    buffer.putLong(association.softOctets());
    buffer.putLong(association.hardOctets());
    buffer.putLong(association.softSeconds());
    buffer.putLong(association.hardSeconds());
  }

  private static SecurityAssociation readAssociation(MessageBuffer buffer)
      throws ControlProtocolException {
    return new SecurityAssociation(
        buffer.getInt(),
        buffer.getText(),
        buffer.getText(),
        buffer.getBoolean(),
        buffer.getText(),
        buffer.getBoolean(),
        buffer.getInt(),
        buffer.getText(),
        buffer.getBoolean(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getLong(),
        buffer.getLong(),
        buffer.getLong(),
        buffer.getLong());
  }

  interface Writer<T> {
    void write(MessageBuffer buffer, T value);
  }

  interface Reader<T> {
    T read(MessageBuffer buffer) throws ControlProtocolException;
  }

  /** The codec of a record component. */
  static FieldCodec<?> of(RecordComponent component) {
    if (component.isAnnotationPresent(OptionalField.class)) {
      return OPTIONAL_DESCRIPTOR;
    }
    if (component.isAnnotationPresent(LongText.class)) {
      return LONG_TEXT;
    }
    if (component.getType() == List.class) {
      return component.getName().equals("pieces") ? PIECES : INTERFACES;
    }
    FieldCodec<?> codec = BY_TYPE.get(component.getType());
    if (codec == null) {
      throw new IllegalStateException("no message can carry " + component);
    }
    return codec;
  }

  @SuppressWarnings("unchecked") // the value comes from a component of this codec's type
  void writeValue(MessageBuffer buffer, Object value) {
    writer.write(buffer, (T) value);
  }
}
