package org.rddp.ipc.control;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes and reads messages of one kind, a record: its fields are the record's components, in their
 * order. A first component {@code request} is the header's.
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
      throw new IllegalStateException(kind + " is no record", e);
    }
  }

  /** The codec of a message's kind. */
  static MessageCodec of(ControlMessage message) {
    return CODECS.get(message.getClass());
  }

  /** The kinds of a direction, by their numbers. */
  static Map<Integer, MessageCodec> byType(Class<? extends ControlMessage> direction) {
    Map<Integer, MessageCodec> kinds = new HashMap<>();
    for (Class<?> kind : direction.getPermittedSubclasses()) {
      MessageCodec codec = CODECS.get(kind);
      if (kinds.put(codec.type, codec) != null) {
        throw new IllegalStateException("two messages of type " + codec.type);
      }
    }
    return Map.copyOf(kinds);
  }

  /** The number of the kind. */
  int type() {
    return type;
  }

  /** Writes the fields behind the header. */
  void write(ControlMessage message, MessageBuffer buffer) {
    for (int i = 0; i < codecs.size(); i++) {
      codecs.get(i).writeValue(buffer, valueOf(fields.get(i), message));
    }
  }

  /** Reads the fields behind the header of a message of this kind. */
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
