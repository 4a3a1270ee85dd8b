package org.rddp.ipc.control;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rddp.ipc.linux.Descriptor;

/**
 * Writes and reads messages of one type. The fields are the components of the type's record, in
 * their order; a first component {@code request} stands in the header.
 */
final class MessageCodec {
  private static final ClassValue<MessageCodec> CODECS =
      new ClassValue<>() {
        @Override
        protected MessageCodec computeValue(Class<?> kind) {
          return new MessageCodec(kind);
        }
      };

  private final int type;
  private final Constructor<?> constructor;
  private final boolean answers;
  private final List<RecordComponent> fields;
  private final List<FieldCodec<?>> codecs;

  private MessageCodec(Class<?> kind) {
    RecordComponent[] components = kind.getRecordComponents();
    type = kind.getAnnotation(MessageType.class).value();
    answers = components.length > 0 && components[0].getName().equals("request");
    fields = List.of(components).subList(answers ? 1 : 0, components.length);
    codecs = fields.stream().<FieldCodec<?>>map(FieldCodec::of).toList();
    try {
      constructor =
          kind.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(kind + " is not a record", e);
    }
  }

  /** The codec for a message's type. */
  static MessageCodec of(ControlMessage message) {
    return CODECS.get(message.getClass());
  }

  /** The codecs of one direction by type number. */
  static Map<Integer, MessageCodec> byType(Class<? extends ControlMessage> direction) {
    Map<Integer, MessageCodec> kinds = new HashMap<>();
    for (Class<?> kind : direction.getPermittedSubclasses()) {
      MessageCodec codec = CODECS.get(kind);
      if (kinds.put(codec.type, codec) != null) {
        throw new IllegalStateException("two records with message type " + codec.type);
      }
    }
    return Map.copyOf(kinds);
  }

  /** The type number. */
  int type() {
    return type;
  }

  /** Whether the message carries descriptors. */
  boolean hasDescriptors(ControlMessage message) {
    for (RecordComponent field : fields) {
      if (field.getType() == Descriptor.class && valueOf(field, message) != null) {
        return true;
      }
    }
    return false;
  }

  /** Writes a message of this type with its header. */
  MessageBuffer encode(ControlMessage message) {
    MessageBuffer buffer = MessageBuffer.forWriting();
    buffer.putInt(0);
    buffer.putShort(type);
    buffer.putShort(0);
    buffer.putInt(message.request());
    write(message, buffer);
    buffer.putInt(0, buffer.position());
    return buffer;
  }

  /**
   * Reads a message with its header.
   *
   * @param kinds of {@link #byType}
   */
  static ControlMessage decode(MessageBuffer buffer, Map<Integer, MessageCodec> kinds)
      throws ControlProtocolException {
    int length = buffer.remaining();
    if (length < MessageBuffer.HEADER) {
      throw new ControlProtocolException("a message is too short");
    }
    if (buffer.getInt() != length) {
      throw new ControlProtocolException("a message's length is wrong");
    }
    int type = buffer.getShort();
    if (buffer.getShort() != 0) {
      throw new ControlProtocolException("a message's header has reserved bits set");
    }
    int request = buffer.getInt();
    if ((request == 0) != (type >= ControlMessage.FIRST_EVENT)) {
      throw new ControlProtocolException("a request without a number, or an event with one");
    }
    MessageCodec codec = kinds.get(type);
    if (codec == null) {
      throw new ControlProtocolException("unknown message type " + type);
    }
    ControlMessage message = codec.read(request, buffer);
    buffer.requireEnd();
    return message;
  }

  /** Writes the fields after the header. */
  void write(ControlMessage message, MessageBuffer buffer) {
    for (int i = 0; i < codecs.size(); i++) {
      codecs.get(i).writeValue(buffer, valueOf(fields.get(i), message));
    }
  }

  /** Reads the fields after the header of a message of this type. */
  ControlMessage read(int request, MessageBuffer buffer) throws ControlProtocolException {
    Object[] values = new Object[codecs.size() + (answers ? 1 : 0)];
    int next = 0;
    if (answers) {
      values[next++] = request;
    }
    for (FieldCodec<?> codec : codecs) {
      values[next++] = codec.reader().read(buffer);
    }
    try {
      return (ControlMessage) constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot make a message of type " + type, e);
    }
  }

  private static Object valueOf(RecordComponent field, ControlMessage message) {
    try {
      return field.getAccessor().invoke(message);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read " + field, e);
    }
  }
}
